import type { SettleRequest, Store } from './store.ts';

export type SettledIn = 'settled' | 'lost' | 'no-transaction';

/** What a transaction that is under way can go back to. */
export interface Savepoint {
  /**
   * Runs work once, undoes it alone when it throws, and ends the savepoint. A client that can tell calls `onBroken`
   * when the connection breaks meanwhile.
   */
  run<T>(work: () => Promise<T>, onBroken: (error: unknown) => void): Promise<T>;
  /**
   * The fenced settle, for the end of the work. From then until the end of the transaction no other session can change
   * the record. Where the savepoint is gone it is `no-transaction`, and nothing is written.
   */
  settle(request: SettleRequest, scope: string): Promise<SettledIn>;
  /** Ends the savepoint where nothing was run. It does not throw. */
  release(): Promise<void>;
}

/** A store whose records can be settled in a transaction of the handler's own database. */
export interface TransactionalStore<Tx> extends Store {
  /**
   * Runs work in a new transaction, which is committed when the work is done and rolled back when it throws. Settles
   * after the work. A client that can tell calls `onBroken` once when the connection breaks while the work runs.
   */
  begin<T>(work: (transaction: Tx) => Promise<T>, onBroken?: (error: unknown) => void): Promise<T>;
  /** Whether `begin` rejects when nothing of a transaction is committed, once its settle was its last statement. */
  readonly tellsRollback: boolean;
  /**
   * Sets a savepoint in a transaction that is under way. Throws `InvalidOptionsError` where that has ended, is not READ
   * COMMITTED and READ WRITE, or has another savepoint of this kind, and `StoreError` where it takes no statement any
   * more.
   */
  savepoint(transaction: Tx): Promise<Savepoint>;
  /** Whether the connection of a transaction has broken since its savepoint, as far as the client can tell. */
  hasBroken(transaction: Tx): boolean;
  /** Throws for what is no transaction that records can be settled in. */
  accept(transaction: Tx): void;
  /**
   * The fenced settle, as the last statement of a transaction of `begin`: a client that can sends the COMMIT with it.
   * Then the work has to end. What the COMMIT is answered with is for `begin`. Until the end of the transaction no
   * other session can change the record. Where the transaction, which is `workMs` old at least, has been ended already,
   * it is `no-transaction`, and nothing is written.
   */
  settleLast(transaction: Tx, request: SettleRequest, scope: string, workMs: number): Promise<SettledIn>;
  /** Whether an error of `begin` says for certain that nothing was committed: a lost connection does not. */
  isRolledBack(error: unknown): boolean;
  /** Whether the database gave the transaction up for the sake of another, so that it can be run again. */
  isConflict(error: unknown): boolean;
}
