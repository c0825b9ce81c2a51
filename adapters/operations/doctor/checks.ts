import { poolSize, pooler } from './connections.ts';
import type { Check } from './finding.ts';
import { horizon } from './horizon.ts';
import { hotUpdates, indexes, storage } from './hot-updates.ts';
import { publications } from './publications.ts';
import { rights } from './rights.ts';
import { rowSecurity } from './row-security.ts';
import { schemaVersion } from './schema-version.ts';
import { clock, isolation, writes } from './session.ts';
import { tables } from './tables.ts';
import { deadRows, maintenance } from './upkeep.ts';

/** Checks of the client and its database. The first is made first: it has a client without prepared statements. */
export const OF_CLIENT: Readonly<Record<string, Check>> = {
  pooler,
  'pool-size': poolSize,
  clock,
  isolation,
  writes,
};

/** Whether there are tables to work with. Where one of these finds a problem, there is nothing else to say of them. */
export const OF_SCHEMA: Readonly<Record<string, Check>> = { 'schema-version': schemaVersion, tables };

/** Checks of the tables. */
export const OF_TABLES: Readonly<Record<string, Check>> = {
  rights,
  'row-security': rowSecurity,
  publications,
  storage,
  indexes,
  'hot-updates': hotUpdates,
  'dead-rows': deadRows,
  horizon,
  maintenance,
};
