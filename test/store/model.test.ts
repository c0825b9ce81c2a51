import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { maintain } from 'handle-once/operations';
import { test } from 'vitest';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import { useDatabase } from '../support/database.ts';
import { historiesOf, type Models, type Real, STORE } from './model/commands.ts';
import { Model } from './model/model.ts';
import { type Database, OPERATIONS } from './model/operations.ts';
import { useClient } from './postgres/client.ts';
import { controlledPostgresStore } from './postgres/controlled-store.ts';
import { controlledMemoryStore } from './support/controlled-memory-store.ts';

const SEED = 20_260_101;
/** To make a history that fails shorter takes longest. */
const LONGEST = { timeout: 180_000 };
const RUNNER = randomUUID();

const { url } = useDatabase();
/** Nothing here is about what a crash leaves. */
const sql = useClient(url, { connection: { synchronous_commit: 'off' } });

function newScopes(): Real['scopes'] {
  const here = randomUUID();
  return { here, there: `${here} there` };
}

function models(): Models {
  return { here: new Model(), there: new Model() };
}

function memory(): Real {
  const { store, advance } = controlledMemoryStore();
  return { store, scopes: newScopes(), pass: (milliseconds) => advance('', milliseconds) };
}

function database(): Database {
  const { advance } = controlledPostgresStore(sql);
  const scopes = newScopes();
  return {
    ...{ store: createPostgresStore(sql, 'handle_once'), scopes, sql, runner: RUNNER },
    pass: async (milliseconds) => {
      await Promise.all(Object.values(scopes).map((scope) => advance(scope, milliseconds)));
      await sql`update handle_once.failures set ended_at = ended_at - ${milliseconds}::float8 * interval '1 ms'`;
    },
  };
}

test.each([
  ['memory', memory, 200],
  ['Postgres', database, 30],
] as const)(
  'whatever happens, the %s store answers as its model does',
  LONGEST,
  async (_, newReal, numRuns) => {
    const property = fc.asyncProperty(historiesOf(STORE), (commands) =>
      fc.asyncModelRun(() => ({ model: models(), real: newReal() }), commands),
    );
    await fc.assert(property, { seed: SEED, numRuns });
  },
);

test('whatever happens, operations do to records what they do to the model', LONGEST, async () => {
  await maintain({ sql, archive: true });
  await sql`update handle_once.maintenance set runner = ${RUNNER}`;
  const histories = historiesOf<Database>(OPERATIONS);
  const property = fc.asyncProperty(histories, async (commands) => {
    for (const table of ['records', 'failures', 'archive']) await sql`delete from handle_once.${sql(table)}`;
    await fc.asyncModelRun(() => ({ model: models(), real: database() }), commands);
  });
  await fc.assert(property, { seed: SEED, numRuns: 30 });
});
