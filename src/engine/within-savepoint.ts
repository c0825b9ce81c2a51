import { InvalidOptionsError } from '../words/errors.ts';
import type { Savepoint, TransactionalStore } from '../store/transactional-store.ts';
import { endOf, type Engine } from './engine.ts';
import { createHandle, type Handle } from './handle.ts';
import { runWithin } from './run-in-transaction.ts';

/**
 * Claims and runs behind a savepoint of the caller's transaction. That comes before the claim, so that nothing is
 * claimed for a transaction that takes no work, and a break of its connection is heard of while the claim is under way.
 */
export function withinSavepoint<Tx>(
  engine: Engine,
  store: TransactionalStore<Tx>,
  transaction: Tx,
): Handle<[]> {
  return async (delivery) => {
    const savepoint = await set(engine, store, transaction, delivery.key);
    const handle = createHandle(engine, (held, work) =>
      runWithin(store, { transaction, savepoint }, held, work),
    );
    try {
      return await handle(delivery);
    } finally {
      await savepoint.release();
    }
  };
}

async function set<Tx>(
  engine: Engine,
  store: TransactionalStore<Tx>,
  transaction: Tx,
  key: string,
): Promise<Savepoint> {
  const startedAt = engine.clock.monotonic();
  try {
    return await store.savepoint(transaction);
  } catch (error) {
    if (error instanceof InvalidOptionsError) throw error;
    const end = endOf(engine, { key, startedAt }, 0, 'pending');
    engine.events.emit({ type: 'store-error', ...end, verb: 'savepoint', error });
    throw error;
  }
}
