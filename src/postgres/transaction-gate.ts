import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../words/errors.ts';
import { safeCause } from './safe-cause.ts';

/** Lets statements into a transaction of `postgres` until that has ended. */
export class TransactionGate {
  /** Rejects when it closes. */
  readonly whenClosed: Promise<never>;
  #refusal: StoreError | undefined;
  #reject: (refusal: StoreError) => void = () => undefined;

  constructor() {
    this.whenClosed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.whenClosed.catch(() => undefined);
  }

  /** The first reason stays. */
  close(refusal: StoreError): void {
    this.#refusal ??= refusal;
    this.#reject(this.#refusal);
  }

  /** Throws when it is closed. A connection that has just closed is heard of in this turn. */
  async pass(): Promise<void> {
    await nextTurn();
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Never settles when it is closed: then `postgres` must not go on with the transaction. */
  async stayIfClosed(): Promise<void> {
    await this.pass().catch(() => new Promise(() => undefined));
  }
}

export function connectionBroken(cause: unknown): StoreError {
  return new StoreError(
    'the connection of the transaction has broken: the statement was not sent, and the transaction is not ' +
      'committed. Throw this error on: the message runs again',
    { retriable: true, mayHaveLanded: false, cause: safeCause(cause) },
  );
}

export function transactionEnded(): StoreError {
  return new StoreError(
    'the transaction has ended: the statement was not sent. Await every statement before the handler returns',
    { retriable: false },
  );
}
