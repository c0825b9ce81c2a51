import type { TransactionalStore } from '../store/transactional-store.ts';
import type { Handle } from './handle.ts';

/**
 * Never settles where the connection of the transaction has broken meanwhile. The library has told the caller by then,
 * outside of the transaction; what would follow inside of it would run in no transaction, or end the process.
 */
export function notAfterBreak<Tx>(
  store: Pick<TransactionalStore<Tx>, 'hasBroken'>,
  transaction: Tx,
  handle: Handle<[]>,
): Handle<[]> {
  return async (delivery) => {
    try {
      return await handle(delivery);
    } finally {
      if (store.hasBroken(transaction)) await new Promise(() => undefined);
    }
  };
}
