import type { HandleOnce } from '../../../src/api/handle-once.ts';
import type { Database } from '../models/database.ts';
import type { Transaction } from '../models/transactions.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { createLifesHandleOnce } from './handle-once.ts';
import { createHandler } from './handler.ts';

/** A process, with what every user makes in one. */
export interface Process {
  readonly life: Life;
  readonly handleOnce: HandleOnce<Transaction>;
  readonly handle: ReturnType<typeof createHandler>;
}

/** `onHang` is told of a handler that never ends. */
export function createProcess(world: World, database: Database, life: Life, onHang: () => void): Process {
  return {
    life,
    handleOnce: createLifesHandleOnce(world, database, life),
    handle: createHandler(world, database, life, onHang),
  };
}
