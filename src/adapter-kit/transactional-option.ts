import * as z from 'zod';
import type { AnyHandleOnce, Calls, HandleOnce } from '../calls.ts';
import type { Handle } from '../engine/handle.ts';
import { HANDLES, type Handles } from '../engine/handles.ts';
import { createFirstCheck } from './store-check.ts';

/** The option `inTransaction` of adapters. */
export function inTransactionOption(): z.ZodDefault<z.ZodBoolean> {
  return z.boolean({ error: 'must be true or false' }).default(false);
}

/** Whether the option can be kept. */
export function canRunInTransaction(options: {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
}): boolean {
  return !options.inTransaction || options.handleOnce.settings.hasTransactions;
}

/**
 * What runs the handlers: in a transaction, which they get as last argument, where that is asked for. None is run before
 * the store has been checked.
 */
export function callOf(handleOnce: AnyHandleOnce, inTransaction: boolean): Calls<unknown[]> {
  const calls = handleOnce as HandleOnce;
  const call: Calls<unknown[]> = inTransaction ? calls.inTransaction : calls;
  const notChecked = createFirstCheck(handleOnce);
  const checked = async (...args: Parameters<Calls<unknown[]>>): Promise<unknown> => {
    await notChecked();
    return await call(...args);
  };
  return checked as Calls<unknown[]>;
}

/** The same of the engine itself. */
export function handleOf(handleOnce: AnyHandleOnce, inTransaction: boolean): Handle<unknown[]> {
  const handles = (handleOnce as unknown as { readonly [HANDLES]: Handles })[HANDLES];
  const handle = (inTransaction ? handles.inTransaction : handles.handle) as Handle<unknown[]>;
  const notChecked = createFirstCheck(handleOnce);
  return async (delivery) => {
    await notChecked();
    return await handle(delivery);
  };
}

export const NO_TRANSACTIONS = {
  path: ['inTransaction'],
  error: 'needs a handleOnce made with sql: a store of your own has no transactions',
};
