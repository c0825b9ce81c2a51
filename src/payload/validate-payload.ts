import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidKeyError } from '../words/errors.ts';
import { InvalidPayloadError, RetryableError } from '../words/handler-errors.ts';
import { kindOf } from '../lib/kind-of.ts';
import { isA, isSyntaxError, readable, readableKeys } from '../lib/safe-read.ts';
import { quotesPayload } from './quotes-payload.ts';
import { describeThrown, nameOfThrown } from './stored-error.ts';

const MAX_ISSUES = 10;

/** Turns a payload as delivered into the value that the handler gets. Throws `InvalidPayloadError`. */
export async function validatePayload(
  payload: unknown,
  parse: ((payload: never) => unknown) | undefined,
  schema: StandardSchemaV1 | undefined,
): Promise<unknown> {
  const parsed = parse === undefined ? payload : await parsePayload(payload, parse);
  return schema === undefined ? parsed : await conform(parsed, schema);
}

/**
 * The parser's message is left out: JSON.parse quotes the text that it could not read. The message of an
 * `InvalidKeyError` is written for the user, and quotes nothing. A `RetryableError` is no fault of the payload: the
 * parser lacks something for now.
 */
async function parsePayload(payload: unknown, parse: (payload: never) => unknown): Promise<unknown> {
  try {
    return await parse(payload as never);
  } catch (error) {
    if (isA(error, RetryableError)) throw error;
    const what = isA(error, InvalidKeyError) ? describeThrown(error) : nameOfThrown(error);
    throw new InvalidPayloadError(`the payload could not be parsed (${what})`);
  }
}

/** An error of the schema is no fault of the payload. A syntax error of a transform quotes its text. */
async function validate(value: unknown, schema: StandardSchemaV1): Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return await schema['~standard'].validate(value);
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new RetryableError('the schema threw a SyntaxError instead of returning issues');
  }
}

async function conform(value: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const validated = await validate(value, schema);
  requireResult(validated, schema);
  if (validated.issues === undefined) return validated.value;
  const named = namesIn(schema);
  const described = validated.issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, value, named));
  const more = validated.issues.length - described.length;
  throw new InvalidPayloadError(
    `the payload does not fit the schema: ${described.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  );
}

/** A schema that breaks its standard is no fault of the payload either. */
function requireResult(result: unknown, schema: StandardSchemaV1): void {
  const issues = isPart(result) ? readable(result, 'issues') : null;
  if (issues === undefined || Array.isArray(issues)) return;
  const answered = isPart(result) ? `issues of type ${kindOf(issues)}` : kindOf(result);
  throw new TypeError(
    `the schema (${schema['~standard'].vendor}) must answer { value } or { issues: [...] }, and answered ${answered}`,
  );
}

/** Names of members can be personal data: names that the schema does not have are left out. */
function describeIssue(issue: StandardSchemaV1.Issue, value: unknown, named: ReadonlySet<string>): string {
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const where = path.map((part) =>
    typeof part === 'number' || named.has(String(part)) ? String(part) : '*',
  );
  const says = messageOf(issue, path, value, named);
  return where.length === 0 ? says : `${where.join('.')}: ${says}`;
}

/** Libraries quote the value that does not fit, and the names of its members. */
function messageOf(
  issue: StandardSchemaV1.Issue,
  path: readonly PropertyKey[],
  value: unknown,
  named: ReadonlySet<string>,
): string {
  if (isUnrecognized(issue)) return 'has members that the schema does not know';
  const unnamed = path.filter((part) => typeof part === 'string' && !named.has(part));
  const quotable = [...unnamed, valueAt(value, path), ...transformed(issue)];
  return quotesPayload(issue.message, quotable, named) ? 'does not fit' : issue.message;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, part) =>
      typeof within === 'object' && within !== null ? readable(within, String(part)) : undefined,
    value,
  );
}

/** The value as a transform before the check made it: valibot and arktype show it. */
function transformed(issue: object): unknown[] {
  return ['input', 'data'].map((name) => readable(issue, name));
}

/** The message of zod quotes the members. */
function isUnrecognized(issue: object): boolean {
  return 'code' in issue && issue.code === 'unrecognized_keys';
}

/** Where schemas of zod and valibot keep their members by name. */
const MEMBERS = ['shape', 'entries'];
/** A schema can refer to itself, and to all of its library. */
const MAX_PARTS = 5_000;

const known = new WeakMap<object, ReadonlySet<string>>();

/** The names of members that a schema itself has, wherever in it; none for a schema that does not show them. */
export function namesIn(schema: object): ReadonlySet<string> {
  const names = known.get(schema) ?? findNames(schema);
  known.set(schema, names);
  return names;
}

function findNames(schema: object): Set<string> {
  const names = new Set<string>();
  const parts = new Set([schema]);
  for (const part of parts) {
    for (const members of MEMBERS.map((name) => readable(part, name)).filter(isPart)) {
      for (const name of readableKeys(members)) names.add(name);
      addParts(parts, members);
    }
    addParts(parts, part);
  }
  return names;
}

function addParts(parts: Set<object>, of: object): void {
  for (const name of readableKeys(of)) {
    const part = readable(of, name);
    if (isPart(part) && parts.size < MAX_PARTS) parts.add(part);
  }
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
