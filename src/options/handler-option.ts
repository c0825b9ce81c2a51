import * as z from 'zod/mini';

/** Stands for a handler that was found among the options. */
const AMONG_OPTIONS = Symbol('a handler among the options');

/** The option `handler` of every entry point. What is no function would fail each message for good. */
export function handlerOption<Handler>(parameters: string): z.ZodMiniType<Handler, Handler> {
  return z.custom<Handler>((value) => typeof value === 'function', {
    error: ({ input }) =>
      input === AMONG_OPTIONS
        ? 'must be given as second argument, after the options'
        : `must be a function of (${parameters})`,
    abort: false,
  });
}

/** The options with the handler that is given beside them, so that all faults are named at once. */
export function withHandler(options: unknown, handler: unknown): unknown {
  try {
    if (typeof options !== 'object' || options === null) return options;
    // Getters are not read here: the check of the options names one that throws.
    const { handler: among, ...members } = Object.getOwnPropertyDescriptors<{ handler?: unknown }>(options);
    const isAmong = among !== undefined && (among.get !== undefined || among.value !== undefined);
    const value = isAmong ? AMONG_OPTIONS : handler;
    return Object.defineProperties({}, { ...members, handler: { value, enumerable: true } });
  } catch {
    return options;
  }
}
