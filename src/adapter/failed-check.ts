import { StoreError } from '../words/errors.ts';
import { isClosed } from '../postgres/error-layers.ts';

/** Whether a check of the store failed by a refusal: a role that may not read the version can still do the work. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && !error.retriable && !isClosed(error.cause);
}
