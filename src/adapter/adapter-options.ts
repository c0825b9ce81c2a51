import * as z from 'zod';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { HANDLES } from '../engine/hidden-handles.ts';
import { callback } from '../options/parse-options.ts';

/** The option `handleOnce`. A wrong one ends the check: rules of the whole read its settings. */
export function handleOnceOption(): z.ZodType<AnyHandleOnce, AnyHandleOnce> {
  return z.custom<AnyHandleOnce>((value) => typeof value === 'function' && HANDLES in value, {
    error: 'must be made by createHandleOnce',
  });
}

/** The option `onEvent`. */
export function eventHook<Event>(): z.ZodType<((event: Event) => unknown) | undefined> {
  return callback<(event: Event) => unknown>('a function of one event').optional();
}
