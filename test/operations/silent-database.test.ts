import { StoreError } from 'handle-once';
import { maintain, startMaintenance } from 'handle-once/operations';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { freezableDatabase, untilLocked } from '../support/freezable-database.ts';

const { sql, url } = useDatabase();

/** Calls back once a call of maintenance, of a client whose connection then hangs, waits for an answer. */
async function whileSilent<T>(begin: (client: postgres.Sql) => T, then: (begun: T) => Promise<void>) {
  const { through, freeze } = await freezableDatabase(url);
  const client = postgres(through, { max: 1 });
  onTestFinished(() => client.end({ timeout: 0 }));
  await sql.begin(async (tx) => {
    await tx`lock table handle_once.maintenance in access exclusive mode`;
    const begun = begin(client);
    await untilLocked(sql, 'handle_once.maintenance');
    freeze();
    await then(begun);
  });
}

test('a stop waits for a database that gives no answer for seconds, and not for a minute', async () => {
  await whileSilent(
    (client) => startMaintenance({ sql: client, onEvent: () => undefined }),
    async (maintenance) => {
      await maintenance.stop();
      expect(maintenance.counts()).toEqual({ 'maintenance-error': 1 });
    },
  );
});

test('a call whose signal aborts gives up a database that gives no answer', async () => {
  const stopping = new AbortController();
  await whileSilent(
    (client) => maintain({ sql: client, signal: stopping.signal }).catch((error: unknown) => error),
    async (ending) => {
      stopping.abort();
      const given = await ending;
      expect(given).toBeInstanceOf(StoreError);
      expect((given as StoreError).message).toMatch(/^the store gave no reply within 3000 ms/);
    },
  );
});
