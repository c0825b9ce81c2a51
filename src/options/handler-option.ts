import type * as z from 'zod';
import { callback } from './parse-options.ts';

/** The option `handler` of every entry point. What is no function would fail each message for good. */
export function handlerOption<Handler>(parameters: string): z.ZodType<Handler, Handler> {
  return callback<Handler>(`a function of (${parameters})`);
}

/** The options with the handler that is given beside them, so that all faults are named at once. */
export function withHandler(options: unknown, handler: unknown): unknown {
  try {
    if (typeof options !== 'object' || options === null) return options;
    // Getters are not read here: the check of the options names one that throws.
    const members = Object.getOwnPropertyDescriptors(options);
    return Object.defineProperties({}, { ...members, handler: { value: handler, enumerable: true } });
  } catch {
    return options;
  }
}
