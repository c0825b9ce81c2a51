import { transactionEnded } from '../../src/adapter-kit.ts';
import type { StoreError } from '../../src/index.ts';

/** What libraries send themselves to end a transaction. */
const END = /^(?:commit|rollback)$/i;

/**
 * Refuses what is sent to a transaction when its work has ended. The connection has left the transaction then, or is in
 * that of another caller.
 */
export class LateStatements {
  #hasEnded = false;

  async after<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#hasEnded = true;
    }
  }

  /** The error for a statement that may not be sent, by its text. */
  refusalOf(statement?: unknown): StoreError | undefined {
    if (!this.#hasEnded || (typeof statement === 'string' && END.test(statement))) return undefined;
    return transactionEnded();
  }
}

/** A rejection that does not end the process where no caller handles it. */
export function rejected(error: StoreError): Promise<never> {
  const rejection = Promise.reject(error);
  rejection.catch(() => undefined);
  return rejection;
}
