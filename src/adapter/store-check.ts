import type { AnyHandleOnce } from '../api/handle-once.ts';
import { SchemaError } from '../words/errors.ts';
import { isRefusal } from './failed-check.ts';

/**
 * Checks the store where an adapter starts, and says whether it can be used. Throws `SchemaError`: nothing can be
 * handled without an operator.
 *
 * A store that is down is reported by its `handleOnce`, and may be up when the first message comes.
 */
export async function checkStoreAtStart(handleOnce: AnyHandleOnce): Promise<boolean> {
  try {
    await handleOnce.checkStore();
    return true;
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    return false;
  }
}

/**
 * Checks the store before the first message is handled, and before each other until a check has passed. Rejects with
 * `SchemaError`; any other failure is left to the claim.
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
      hasPassed = isRefusal(error);
    } finally {
      underWay = undefined;
    }
  }

  return () => (hasPassed ? undefined : (underWay ??= check()));
}
