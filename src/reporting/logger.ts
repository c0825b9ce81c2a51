import type * as z from 'zod';
import { hasMethods, satisfying } from '../options/parse-options.ts';

/** What a log line is about: flat, and JSON as it is. Never a payload or a result. */
export interface LogFields {
  /** Of the line's kind, and stable: the codes under "Operations" in the README. */
  readonly code: string;
  /** Of the event. */
  readonly type: string;
  readonly error?: LoggedError;
  readonly [field: string]: string | number | boolean | LoggedError | undefined;
}

export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  /** Where it was thrown; without the message. */
  readonly stack?: string;
}

/** What a logger needs: a pino logger and the `console` are ones as they are. */
export interface Logger {
  error(fields: LogFields, message: string): unknown;
  warn(fields: LogFields, message: string): unknown;
  info?(fields: LogFields, message: string): unknown;
  debug?(fields: LogFields, message: string): unknown;
}

/** The option `logger`. */
export function loggerOption(): z.ZodOptional<z.ZodType<Logger, Logger>> {
  return satisfying<Logger>(isLogger, 'a logger with error and warn, such as pino() or console').optional();
}

function isLogger(value: unknown): boolean {
  if (!hasMethods(value, ['error', 'warn'])) return false;
  const { info, debug } = value as Record<string, unknown>;
  return [info, debug].every((method) => method === undefined || typeof method === 'function');
}
