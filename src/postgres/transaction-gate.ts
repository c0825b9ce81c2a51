import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../words/errors.ts';
import { type CopyingQuery, CopyUnderWay } from './copy-under-way.ts';
import { safeCause } from './safe-cause.ts';

/** A query of `postgres`. */
type Query = CopyingQuery & PromiseLike<unknown>;

/** Lets statements into a transaction of `postgres` until that has ended. */
export class TransactionGate {
  #refuse: (() => StoreError) | undefined;
  #isBroken = false;
  readonly #onClose: ((refusal: StoreError) => void)[] = [];
  readonly #unanswered = new Set<Query>();
  #copy: CopyUnderWay | undefined;

  /** The first reason stays. Its error is made where it is thrown: made for each transaction, it cost 30 us of CPU. */
  close(refuse: () => StoreError): void {
    this.#refuse ??= refuse;
    for (const reject of this.#onClose.splice(0)) reject(this.#refuse());
  }

  /** Closes it, and rejects what has no answer: `postgres` 3.4.9 forgets what it has queued for the connection. */
  break(refuse: () => StoreError): void {
    this.#isBroken = true;
    this.close(refuse);
    for (const query of this.#unanswered) query.reject(refuse());
  }

  /** Where the connection breaks before the answer, the query is rejected. */
  expectAnswer(query: Query): void {
    const forget = (): void => {
      this.#unanswered.delete(query);
    };
    this.#unanswered.add(query);
    query.then(forget, forget);
    CopyUnderWay.watch(query, (copy) => {
      this.#copy = copy;
      if (this.#refuse !== undefined) void copy.end();
    });
  }

  /** Throws while a COPY is under way: the client would send nothing then. */
  requireNoCopy(): void {
    if (this.#copy?.isUnderWay() === true) throw copyUnderWay();
  }

  /** Ends a COPY that is under way. */
  async endCopy(): Promise<void> {
    await this.#copy?.end();
  }

  /** Rejects when it closes. */
  whenClosed(): Promise<never> {
    return new Promise((_, reject) => {
      if (this.#refuse === undefined) this.#onClose.push(reject);
      else reject(this.#refuse());
    });
  }

  /** Throws when it is closed. A connection that has just closed is heard of in this turn. */
  async pass(): Promise<void> {
    await nextTurn();
    if (this.#refuse !== undefined) throw this.#refuse();
  }

  /** Never settles when the connection has broken. One that has just closed is heard of in this turn. */
  async stayIfBroken(): Promise<void> {
    await nextTurn();
    if (this.#isBroken) await new Promise(() => undefined);
  }

  /** Never settles when it is closed: then `postgres` must not go on with the transaction. */
  async stayIfClosed(): Promise<void> {
    await this.pass().catch(() => new Promise(() => undefined));
  }
}

export function connectionBroken(cause: unknown): StoreError {
  return new StoreError(
    'the connection of the transaction has broken: the statement was not sent, and the transaction is not ' +
      'committed. Rethrow this error: the message runs again',
    { retriable: true, mayHaveLanded: false, cause: safeCause(cause) },
  );
}

export function transactionEnded(): StoreError {
  return new StoreError(
    'the transaction has ended: the statement was not sent. Await every statement before the handler returns or throws, ' +
      'with Promise.allSettled where some may fail',
    { retriable: false },
  );
}

function copyUnderWay(): StoreError {
  return new StoreError(
    'a COPY of the transaction has not ended: nothing is committed. Read or write its stream to its end before the ' +
      'handler returns',
    { retriable: false },
  );
}
