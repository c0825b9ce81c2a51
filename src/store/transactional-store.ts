import type { SettleRequest, Store } from './store.ts';

export type SettledIn = 'settled' | 'lost' | 'no-transaction';

/** A store that can settle records in a transaction of the handler's database. */
export interface TransactionalStore<Tx> extends Store {
  /**
   * Runs work in a new transaction, which is committed when the work is done and rolled back when it throws. Settles
   * after the work. A client that notices a broken connection while the work runs calls `onBroken` once.
   */
  begin<T>(work: (transaction: Tx) => Promise<T>, onBroken?: (error: unknown) => void): Promise<T>;
  /** Whether `begin` rejects when nothing of a transaction is committed, once its settle was its last statement. */
  readonly tellsRollback: boolean;
  /**
   * The fenced settle of all records, as the last statement of a transaction of `begin`: a client that can sends the
   * COMMIT with it. It is `lost`, and nothing can be committed, where one of them is another's. Then the work has to
   * end. `begin` handles the answer to the COMMIT. Until the end of the transaction no other session can change the
   * records. Where the transaction, which is `workMs` old at least, has been ended already, it is `no-transaction`, and
   * nothing is written.
   */
  settleLast(
    transaction: Tx,
    requests: readonly SettleRequest[],
    scope: string,
    workMs: number,
  ): Promise<SettledIn>;
  /** Whether an error of `begin` says for certain that nothing was committed: a lost connection does not. */
  isRolledBack(error: unknown): boolean;
  /** Whether the database rolled the transaction back in favour of another, so that it can be run again. */
  isConflict(error: unknown): boolean;
}
