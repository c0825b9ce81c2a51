import type { AnyHandleOnce } from '../api/handle-once.ts';
import { SchemaError, StoreError } from '../api/errors.ts';

/**
 * Checks the store where an adapter starts. Throws `SchemaError`: nothing can be handled without an operator.
 *
 * A store that is down is reported by its `handleOnce`, and may be up when the first message comes.
 */
export async function checkStoreAtStart(handleOnce: AnyHandleOnce): Promise<void> {
  try {
    await handleOnce.checkStore();
  } catch (error) {
    if (error instanceof SchemaError) throw error;
  }
}

/**
 * Checks the store with the first message, where an adapter has no start, and until that has passed. Then it gives
 * undefined: nothing is to be waited for. Rejects with `SchemaError`; any other failure is the claim's own to meet.
 */
export function createFirstCheck(handleOnce: AnyHandleOnce): () => Promise<void> | undefined {
  let hasPassed = false;
  let underWay: Promise<void> | undefined;

  async function check(): Promise<void> {
    try {
      await handleOnce.checkStore();
      hasPassed = true;
    } catch (error) {
      if (error instanceof SchemaError) throw error;
      // A role that may not read the version can still do the work.
      hasPassed = error instanceof StoreError && !error.retriable;
    } finally {
      underWay = undefined;
    }
  }

  return () => (hasPassed ? undefined : (underWay ??= check()));
}
