import * as z from 'zod/mini';
import type { AnyHandleOnce, MissingOption } from '../api/handle-once.ts';
import { flag } from '../options/parse-options.ts';

/** What a handler gets in place of a transaction where the option is not given. */
export type WithoutTransaction = [transaction: MissingOption<'inTransaction: true'>];

/** The option `inTransaction` of adapters. */
export function inTransactionOption(): z.ZodMiniDefault<z.ZodMiniBoolean> {
  return z._default(flag(), false);
}

/** Whether the option can be kept. */
export function canRunInTransaction(options: {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
}): boolean {
  return !options.inTransaction || options.handleOnce.settings.hasTransactions;
}

export const NO_TRANSACTIONS = {
  path: ['inTransaction'],
  error: 'needs a handleOnce made with sql: a store of your own has no transactions',
};
