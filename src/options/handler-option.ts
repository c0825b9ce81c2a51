import * as z from 'zod/mini';

const AMONG_OPTIONS = Symbol('a handler among the options');

/** The option `handler` of every entry point. */
export function handlerOption<Handler>(parameters: string): z.ZodMiniType<Handler, Handler> {
  return z.custom<Handler>((value) => typeof value === 'function' && !isClass(value), {
    error: ({ input }) =>
      input === AMONG_OPTIONS
        ? 'must be given as second argument, after the options'
        : `must be a function of (${parameters})`,
    abort: false,
  });
}

/** A class cannot be called. */
function isClass(value: object): boolean {
  return /^class[\s{]/.test(Function.prototype.toString.call(value));
}

/** The options and the handler in one object, so that one error names all faults. */
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
