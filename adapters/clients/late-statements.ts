import { transactionEnded } from '../../src/adapter-kit.ts';
import type { StoreError } from '../../src/index.ts';

/** How a transaction ends. */
export type End = 'commit' | 'rollback';

/** Whether libraries send it themselves to end a transaction. */
export function isEnd(statement: unknown): statement is string {
  return typeof statement === 'string' && /^(?:commit|rollback);?$/i.test(statement);
}

/**
 * Refuses what a handler sends to a transaction once it has returned or thrown: it would run behind the settle, after
 * the end, or in the transaction of another caller.
 */
export class LateStatements {
  #isClosed = false;
  #end: End | undefined;

  /** The handler has returned: its record is settled next. */
  close(): void {
    this.#isClosed = true;
  }

  /** The transaction is committed, and its connection not yet given back. */
  reopen(): void {
    this.#isClosed = false;
  }

  /** Runs the work of a transaction: the handler, and the settle. After it only the end may be sent. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    try {
      const value = await work();
      this.#end = 'commit';
      return value;
    } catch (error) {
      this.#end = 'rollback';
      throw error;
    } finally {
      this.close();
    }
  }

  /** The transaction has ended: not even that may be sent, since the connection may be another caller's. */
  over(): void {
    this.#end = undefined;
  }

  /** How the transaction has to end, where its library sends that. Undefined for any other statement. */
  endBy(statement: unknown): End | undefined {
    return isEnd(statement) ? this.#end : undefined;
  }

  /** The error for a statement that may not be sent. */
  refusal(): StoreError | undefined {
    return this.#isClosed ? transactionEnded() : undefined;
  }
}

/** An object whose methods are refused when the handler has returned or thrown. */
export function guardedObject<T extends object>(
  object: T,
  late: LateStatements,
  refuse: (refusal: StoreError) => unknown = rejected,
): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const refusal = late.refusal();
        return refusal === undefined ? member.apply(target, given) : refuse(refusal);
      };
    },
  });
}

/** A rejection that does not end the process where no caller handles it. */
export function rejected(error: Error): Promise<never> {
  const rejection = Promise.reject(error);
  rejection.catch(() => undefined);
  return rejection;
}
