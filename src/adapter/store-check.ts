import type { AnyHandleOnce } from '../api/handle-once.ts';
import { isClosed } from '../postgres/error-layers.ts';
import { SchemaError, StoreError } from '../words/errors.ts';

/**
 * Whether the store can be used. Throws `SchemaError`: nothing can be handled without an operator.
 *
 * A store that is down is reported by its `handleOnce`, and may be up when the next message comes.
 */
export async function storeIsUsable(handleOnce: Pick<AnyHandleOnce, 'checkStore'>): Promise<boolean> {
  try {
    await handleOnce.checkStore();
    return true;
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    return isRefusal(error);
  }
}

/** A role that may not read the version can still do the work. */
function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && !error.retriable && !isClosed(error.cause);
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
      hasPassed = await storeIsUsable(handleOnce);
    } finally {
      underWay = undefined;
    }
  }

  return () => (hasPassed ? undefined : (underWay ??= check()));
}
