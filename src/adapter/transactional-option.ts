import * as z from 'zod/mini';
import type { AnyHandleOnce, Calls, MissingOption } from '../api/handle-once.ts';
import { flag } from '../options/parse-options.ts';

/** What a handler gets beside payload and attempt: the transaction of `Once`, or the name of the missing option. */
export type TransactionOf<Once, InTransaction> = [InTransaction] extends [true]
  ? [Once] extends [{ readonly inTransaction: Calls<infer Extra> }]
    ? Extra
    : [transaction: unknown]
  : [transaction: MissingOption<'inTransaction: true'>];

/** What options need beside their own: with `inTransaction: true` a `handleOnce` that has transactions. */
export type TransactionChecked<Once, InTransaction> = Infers<Once> &
  ([InTransaction] extends [true]
    ? NeedsTransactions<unknown>
    : { readonly inTransaction?: false | undefined });

/** Where the compiler finds the `handleOnce` that was given. */
interface Infers<Once> {
  /** Made by `createHandleOnce`. */
  readonly handleOnce: Once;
}

export interface NeedsTransactions<Tx> {
  /** Made with `sql`: its client opens the transactions that handlers get. */
  readonly handleOnce: { readonly inTransaction: Calls<[transaction: Tx]> };
  readonly inTransaction: true;
}

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
