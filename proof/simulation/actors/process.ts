import type { HandleOnce } from '../../../src/api/handle-once.ts';
import type { Database } from '../models/database.ts';
import type { Transaction } from '../models/transactions.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { NEIGHBOUR_SCOPE } from '../plan/plan.ts';
import { createLifesHandleOnce, SCOPE } from './handle-once.ts';
import { createHandler } from './handler.ts';

/** A process, with what every user makes in one. */
export interface Process {
  readonly life: Life;
  readonly handleOnce: HandleOnce<Transaction>;
  /** Of another scope in the same store. */
  readonly handleOnceBeside: HandleOnce<Transaction>;
  readonly handle: ReturnType<typeof createHandler>;
}

/** `onHang` is told of a handler that never ends. */
export function createProcess(world: World, database: Database, life: Life, onHang: () => void): Process {
  const { inTransaction } = world.plan.settings;
  const transactional = inTransaction ? database.transactionalClientOf(life) : undefined;
  const store = transactional ?? database.clientOf(life);
  return {
    life,
    handleOnce: createLifesHandleOnce(world, life, SCOPE, store, transactional),
    handleOnceBeside: createLifesHandleOnce(world, life, NEIGHBOUR_SCOPE, store),
    handle: createHandler(world, database, life, onHang),
  };
}
