import * as z from 'zod/mini';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { HANDLES } from '../engine/hidden-handles.ts';

/** The option `handleOnce`. A wrong one ends the check: rules of the whole read its settings. */
export function handleOnceOption(): z.ZodMiniType<AnyHandleOnce, AnyHandleOnce> {
  return z.custom<AnyHandleOnce>((value) => typeof value === 'function' && HANDLES in value, {
    error: 'must be made by createHandleOnce',
  });
}
