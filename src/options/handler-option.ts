import { types } from 'node:util';
import * as z from 'zod/mini';

const AMONG_OPTIONS = Symbol('a handler among the options');

/** The option `handler` of every entry point. */
export function handlerOption<Handler>(parameters: string): z.ZodMiniType<Handler, Handler> {
  return z.custom<Handler>(isHandler, {
    error: ({ input }) =>
      input === AMONG_OPTIONS
        ? 'must be given as second argument, after the options'
        : `must be a function of (${parameters})${isGenerator(input) ? IS_GENERATOR : ''}`,
    abort: false,
  });
}

const IS_GENERATOR =
  ', but is a generator function, which runs nothing when it is called; use an async function';

/** Whether it is a function that runs when it is called. */
export function isHandler(value: unknown): boolean {
  return typeof value === 'function' && !isClass(value) && !isGenerator(value);
}

/** Of a class alone the prototype cannot be replaced. */
function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

/** Also an async one. */
function isGenerator(value: unknown): boolean {
  return types.isGeneratorFunction(value);
}

/** The options and the handler in one object, so that one error names all faults. */
export function withHandler(options: unknown, handler: unknown): unknown {
  try {
    if (typeof options !== 'object' || options === null) return options;
    // Getters are not read here: the check of the options names one that throws.
    const { handler: among, ...members } = Object.getOwnPropertyDescriptors<{ handler?: unknown }>(options);
    const isAmong = among !== undefined && (among.get !== undefined || among.value !== undefined);
    const value = isAmong ? AMONG_OPTIONS : handler;
    return Object.defineProperties({}, { ...members, handler: { value } });
  } catch {
    return options;
  }
}
