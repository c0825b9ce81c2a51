import type { StoredError } from '../words/outcome.ts';
import { isError, isSyntaxError, readable } from '../lib/safe-read.ts';

const MAX_MESSAGE_LENGTH = 2_000;
const MAX_NAME_LENGTH = 200;
const MAX_CAUSES = 4;

/**
 * What the record keeps of anything that a handler threw: name, message, code, and a bounded chain of causes. The code
 * of a wrapper is that of its cause: a failed `fetch` is a TypeError, and its cause says ECONNREFUSED.
 *
 * Other properties are left out, since clients hang requests and payloads on their errors. It never throws.
 */
export function toStoredError(thrown: unknown, causesLeft = MAX_CAUSES): StoredError {
  if (!isError(thrown)) return nonError(thrown);
  const given = readable(thrown, 'cause');
  const cause = given !== undefined && causesLeft > 0 ? toStoredError(given, causesLeft - 1) : undefined;
  const code = codeOf(thrown) ?? cause?.code;
  return {
    name: bounded(textOf(readable(thrown, 'name'), 'Error'), MAX_NAME_LENGTH),
    message: bounded(messageOf(thrown), MAX_MESSAGE_LENGTH),
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Drizzle writes the parameters of its query at the end of the message. */
function messageOf(thrown: Error): string {
  const message = textOf(readable(thrown, 'message'), '');
  const isOfQuery =
    typeof readable(thrown, 'query') === 'string' && Array.isArray(readable(thrown, 'params'));
  return isOfQuery ? message.split('\nparams:', 1).join() : message;
}

function nonError(thrown: unknown): StoredError {
  const message =
    typeof thrown === 'string'
      ? bounded(thrown, MAX_MESSAGE_LENGTH)
      : `a value of type ${thrown === null ? 'null' : typeof thrown} was thrown, not an Error`;
  return { name: 'NonErrorThrown', message };
}

/** Anything thrown, in one line of text. It never throws, which `String(thrown)` can. */
export function describeThrown(thrown: unknown): string {
  const { name, message } = toStoredError(thrown, 0);
  return `${name}: ${message}`;
}

/** The name of what was thrown, without text that could quote a payload. */
export function nameOfThrown(thrown: unknown): string {
  return toStoredError(thrown, 0).name;
}

/** What a function of the user threw, as a cause. Errors of JSON.parse are left out: they quote the body. */
export function causeOf(thrown: unknown): ErrorOptions {
  return isSyntaxError(thrown) ? {} : { cause: thrown };
}

function codeOf(thrown: Error): string | number | undefined {
  const code = readable(thrown, 'code');
  if (typeof code === 'string') return bounded(code, MAX_NAME_LENGTH);
  return typeof code === 'number' && Number.isFinite(code) ? code : undefined;
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function bounded(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/** The error of a record that used up its attempts without an error on record. */
export function attemptsExhausted(attempts: number): StoredError {
  return {
    name: 'AttemptsExhaustedError',
    message: `maxAttempts was reached after ${attempts} attempts, and none of them left an error`,
  };
}

/** The error of a record that reached `maxDeaths`. Its cause is the last error that a handler threw. */
export function deathsExhausted(attempts: number, cause: StoredError | undefined): StoredError {
  return {
    name: 'DeathsExhaustedError',
    message:
      `attempt ${attempts} lost its worker, and maxDeaths is reached: ` +
      'the process died, or could not reach the database for a whole lease',
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Whether what was read from a record is what `toStoredError` gives. */
export function isStoredError(value: unknown): value is StoredError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, message, cause }: { name?: unknown; message?: unknown; cause?: unknown } = value;
  return (
    typeof name === 'string' && typeof message === 'string' && (cause === undefined || isStoredError(cause))
  );
}
