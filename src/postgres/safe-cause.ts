import { isError } from '../lib/safe-read.ts';
import { type Layer, layersOf, sqlState } from './error-layers.ts';

/** Classes of SQLSTATE with messages that name objects and states, and quote no value. */
const SAFE_CLASSES = new Set(['08', '0A', '25', '28', '3D', '3F', '40', '42', '53', '55', '57', '58']);

/** Fields of the server that hold no value. Drivers differ in the names. */
const SAFE_FIELDS = {
  severity: ['severity'],
  schema: ['schema', 'schema_name'],
  table: ['table', 'table_name'],
  column: ['column', 'column_name'],
  constraint: ['constraint', 'constraint_name'],
  routine: ['routine'],
};

/**
 * The driver's error, rebuilt without what can hold a key, a result or an error of a handler: the server's detail and
 * context, the statement and its parameters, and messages that quote values.
 *
 * Undefined for a value that is no error.
 */
export function safeCause(error: unknown): Error | undefined {
  const state = sqlState(error);
  const layers = layersOf(error);
  const source = layers.findLast(isError);
  if (source === undefined) return undefined;
  const code = state ?? textOf(source, ['code']);
  const message = state === undefined ? textOf(source, ['message']) : serverMessage(source, state);
  // The message is empty where several addresses all refused.
  const cause = new Error(message === '' ? code : message);
  cause.name = textOf(source, ['name']) ?? 'Error';
  return Object.assign(cause, code === undefined ? {} : { code }, fieldsOf(source));
}

/**
 * What the server says that its refusal is about, such as `schema public, table records, constraint short`. Empty where
 * it does not say, or where a function or a trigger may have written it.
 */
export function refusedObjects(error: unknown): string {
  const source = layersOf(error).findLast(isError);
  if (source === undefined || source['where'] !== undefined) return '';
  const { schema, table, column, constraint } = fieldsOf(source);
  return Object.entries({ schema, table, column, constraint })
    .flatMap(([kind, name]) => (name === undefined ? [] : [`${kind} ${name}`]))
    .join(', ');
}

/** What a function or a trigger raises has a context, and any text as its message. */
function serverMessage(source: Layer, state: string): string {
  const isServers = source['code'] === state && source['severity'] !== undefined;
  const isSafe = isServers && source['where'] === undefined && SAFE_CLASSES.has(state.slice(0, 2));
  return (isSafe ? textOf(source, ['message']) : undefined) ?? `SQLSTATE ${state}`;
}

function fieldsOf(source: Layer): Record<string, string> {
  const fields = Object.entries(SAFE_FIELDS).map(([field, names]) => [field, textOf(source, names)] as const);
  return Object.fromEntries(fields.filter((field): field is [string, string] => field[1] !== undefined));
}

function textOf(source: Layer, names: readonly string[]): string | undefined {
  return names.map((name) => source[name]).find((value) => typeof value === 'string');
}
