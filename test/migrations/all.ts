import { readdirSync } from 'node:fs';

/** The names of all migrations, in their order. */
export const ALL_MIGRATIONS = readdirSync(new URL('../../migrations/', import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .toSorted();
