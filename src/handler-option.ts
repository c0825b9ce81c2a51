import type * as z from 'zod';
import { callback } from './parse-options.ts';

/** The option `handler` of every entry point. What is no function would fail each message for good. */
export function handlerOption<Handler>(parameters: string): z.ZodType<Handler, Handler> {
  return callback<Handler>(`a function of (${parameters})`);
}

/** The options with the handler that is given beside them, so that all faults are named at once. */
export function withHandler(options: unknown, handler: unknown): unknown {
  return typeof options === 'object' && options !== null ? { ...options, handler } : options;
}
