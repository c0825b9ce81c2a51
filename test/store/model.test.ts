import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { histories, type Real } from './model/commands.ts';
import { Model } from './model/model.ts';
import { controlledPostgresStore } from './postgres/controlled-store.ts';
import { controlledMemoryStore } from './support/controlled-memory-store.ts';

const SEED = 20_260_101;

const { sql } = useDatabase();

function memory(): Real {
  return { ...controlledMemoryStore(), scope: 'model' };
}

function database(): Real {
  return { ...controlledPostgresStore(sql), scope: randomUUID() };
}

test.each([
  ['memory', memory, 500],
  ['Postgres', database, 150],
] as const)('whatever happens, the %s store answers as its model does', async (_, newReal, numRuns) => {
  const property = fc.asyncProperty(histories, (commands) =>
    fc.asyncModelRun(() => ({ model: new Model(), real: newReal() }), commands),
  );
  await fc.assert(property, { seed: SEED, numRuns });
});
