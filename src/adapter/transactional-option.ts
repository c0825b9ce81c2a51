import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import type { Consumer } from './delivery.ts';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import type { Handle } from '../engine/handle.ts';
import { HANDLES, type Handles } from '../engine/engine-key.ts';
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

export interface ConsumerOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
}

/**
 * What runs the handlers: in a transaction, which they get as last argument, where that is asked for. None is run before
 * the store has been checked.
 */
export function consumerOf({ handleOnce, inTransaction, schema }: ConsumerOptions): Consumer {
  const handles = (handleOnce as unknown as { readonly [HANDLES]: Handles })[HANDLES];
  const handle = (inTransaction ? handles.inTransaction : handles.handle) as Handle<unknown[]>;
  const notChecked = createFirstCheck(handleOnce);
  return {
    settings: handleOnce.settings,
    schema,
    async handle(delivery) {
      await notChecked();
      return await handle(delivery);
    },
  };
}

export const NO_TRANSACTIONS = {
  path: ['inTransaction'],
  error: 'needs a handleOnce made with sql: a store of your own has no transactions',
};
