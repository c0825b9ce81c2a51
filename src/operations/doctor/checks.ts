import { poolSize, pooler } from './connections.ts';
import type { Check } from './finding.ts';
import { hotUpdates, indexes, storage } from './hot-updates.ts';
import { rights } from './rights.ts';
import { clock, isolation, writes } from './session.ts';
import { deadRows, maintenance } from './upkeep.ts';

/** Checks of the client and its database. The first is made first: it has a client without prepared statements. */
export const OF_CLIENT: Readonly<Record<string, Check>> = {
  pooler,
  'pool-size': poolSize,
  clock,
  isolation,
  writes,
};

/** Checks of the tables, where there are any. */
export const OF_TABLES: Readonly<Record<string, Check>> = {
  rights,
  storage,
  indexes,
  'hot-updates': hotUpdates,
  'dead-rows': deadRows,
  maintenance,
};
