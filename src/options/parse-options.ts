import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { kindOf } from '../lib/kind-of.ts';
import { lazily } from '../lib/lazily.ts';
import { InvalidOptionsError, type OptionIssue } from '../words/errors.ts';
import { canRead } from '../lib/safe-read.ts';
import { nameOfThrown } from '../payload/stored-error.ts';

export const NOT_AN_OBJECT = { error: 'the options must be an object' };

/** Validates options, or throws `InvalidOptionsError` with every wrong field. Of values only numbers are quoted. */
export function parseOptions<Schema extends z.ZodMiniType>(
  subject: string,
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  const parsed = safeParse(subject, schema, options);
  if (parsed.success) return parsed.data;
  throw new InvalidOptionsError(subject, parsed.error.issues.flatMap(toOptionIssues));
}

/** A getter or a Proxy can throw where it is read. */
function safeParse<Schema extends z.ZodMiniType>(subject: string, schema: Schema, options: unknown) {
  try {
    return schema.safeParse(options);
  } catch (error) {
    const message = `cannot be read (${nameOfThrown(error)} was thrown); pass a plain object`;
    throw new InvalidOptionsError(subject, [{ field: unreadableField(options), message }]);
  }
}

function unreadableField(options: unknown): string {
  try {
    const names = Object.keys(options as object);
    return names.find((name) => !canRead(options as object, name)) ?? 'the options';
  } catch {
    return 'the options';
  }
}

function toOptionIssues(issue: z.core.$ZodIssue): OptionIssue[] {
  const field = issue.path.join('.');
  if (issue.code === 'invalid_union') {
    const [object, ...others] = issue.errors.filter((choice) => choice.some(isOfMember));
    if (object !== undefined && others.length === 0) {
      return object.flatMap((of) => toOptionIssues({ ...of, path: [...issue.path, ...of.path] }));
    }
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: field === '' ? key : `${field}.${key}`,
      message: 'is not an option; remove it or correct its spelling',
    }));
  }
  return [{ field, message: issue.message }];
}

/** Whether an issue is about a member: then that choice is an object, as the value is. */
function isOfMember({ code, path }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}

/** A whole number within bounds, with one message that names the unit and both bounds. */
export function wholeNumber(unit: string, min: number, max: number): z.ZodMiniNumber {
  // Made where it is needed: the first number that is formatted loads the locales, which takes 20 ms.
  const error = ({ input }: { readonly input?: unknown }): string => {
    const got = typeof input === 'number' ? String(input) : kindOf(input);
    return `must be a whole number of ${unit} from ${format(min)} to ${format(max)} (got ${got})`;
  };
  // One check: several would repeat the same message.
  return z
    .number({ error })
    .check(z.refine((value) => Number.isInteger(value) && value >= min && value <= max, { error }));
}

/** A choice that has to be made. Where it is missing, the other checks are made all the same, to report all faults. */
export function chosen<const Choices extends readonly z.ZodMiniType[]>(
  choices: Choices,
  error: string,
): z.ZodMiniType<z.output<Choices[number]>, z.input<Choices[number]>> {
  const missing = z.custom<never>((value: unknown) => value === undefined);
  return z
    .union([...choices, missing], { error })
    .check(z.refine((value: unknown) => value !== undefined, { error }));
}

/** An option that is on or off. */
export const flag = lazily(() => z.boolean({ error: 'must be true or false' }));

export const abortSignal = lazily(() => z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }));

/** What a check accepts. A refusal does not stop later checks, so that all faults are reported. */
export function satisfying<T>(
  check: (value: unknown) => boolean,
  what: string | ((value: unknown) => string),
): z.ZodMiniType<T, T> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `must be ${typeof what === 'string' ? what : what(input)}`;
  return z.custom<T>((value) => holds(check, value), { error, abort: false });
}

/** A value that throws when it is inspected is refused. */
function holds(check: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return check(value);
  } catch {
    return false;
  }
}

/** Something with these methods: clients are taken by shape, so that a wrapped one fits. */
export function withMethods<Client>(methods: readonly string[], what: string): z.ZodMiniType<Client, Client> {
  return satisfying<Client>((value) => hasMethods(value, methods), what);
}

export function callback<Fn>(what: string): z.ZodMiniType<Fn, Fn> {
  return satisfying<Fn>((value) => typeof value === 'function', what);
}

/** The option `onEvent`. */
export function eventHook<Event>(): z.ZodMiniType<((event: Event) => unknown) | undefined> {
  return z.optional(callback<(event: Event) => unknown>('a function of one event'));
}

export function standardSchema(): z.ZodMiniType<StandardSchemaV1, StandardSchemaV1> {
  return satisfying<StandardSchemaV1>((value) => {
    const standard = (value as Partial<StandardSchemaV1> | null | undefined)?.['~standard'];
    return typeof standard?.validate === 'function';
  }, 'a Standard Schema, such as a zod schema');
}

export function hasMethods(value: unknown, methods: readonly string[]): value is object {
  const isObject = (typeof value === 'object' || typeof value === 'function') && value !== null;
  return (
    isObject && methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
  );
}

function format(value: number): string {
  return value.toLocaleString('en-US');
}
