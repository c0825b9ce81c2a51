import * as z from 'zod/mini';
import { hasMethods, satisfying } from '../options/parse-options.ts';

/** The fields of a log line: flat, and plain JSON. Never a payload or a result. */
export interface LogFields {
  /** Of the line's kind, and stable: docs/errors.md#codes-of-log-lines-and-warnings has the codes. */
  readonly code: string;
  /** Of the event. */
  readonly type: string;
  /** Undefined where the event has none. */
  readonly error?: LoggedError;
  readonly [field: string]: string | number | boolean | LoggedError | undefined;
}

/** An error in a log line: flat, without its causes. */
export interface LoggedError {
  /** At most 200 characters. */
  readonly name: string;
  /** At most 2,000 characters. */
  readonly message: string;
  /** Undefined when the error has none. */
  readonly code?: string | number;
  /** Its first ten frames, without the message. Undefined for an error from a record. */
  readonly stack?: string;
}

/** What a logger needs. A pino logger and the `console` work unchanged. */
export interface Logger {
  /** Gets problems that a person must check, such as `FAILED` and `STORE_ERROR`. */
  error(fields: LogFields, message: string): unknown;
  /** Gets failures that are retried, such as `RELEASED`, and findings about settings. */
  warn(fields: LogFields, message: string): unknown;
  /** Gets `TAKEN_OVER`, `TAKEN_BACK` and `MAINTAINED`. Without it they are dropped. */
  info?(fields: LogFields, message: string): unknown;
  /** Gets messages that must wait, such as `IN_FLIGHT`. Without it they are dropped. */
  debug?(fields: LogFields, message: string): unknown;
}

/** The option `logger`. */
export function loggerOption(): z.ZodMiniOptional<z.ZodMiniType<Logger, Logger>> {
  return z.optional(satisfying<Logger>(isLogger, 'a logger with error and warn, such as pino() or console'));
}

function isLogger(value: unknown): boolean {
  if (!hasMethods(value, ['error', 'warn'])) return false;
  const { info, debug } = value as Record<string, unknown>;
  return [info, debug].every((method) => method === undefined || typeof method === 'function');
}
