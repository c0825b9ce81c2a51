import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHandleOnce, migrate, StoreError } from '../../../src/index.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { recordsOf } from '../support/records-of.ts';
import { newDatabaseName, postgresUrl, useDatabase } from '../../support/database.ts';
import { databaseUrl } from '../../support/databases.ts';
import { ALICE, PAYLOAD, TERMS } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';

const POISON = '鍵';
const NEIGHBOURS = Array.from({ length: 8 }, (_, index) => `good-${index}`);
const KEYS = [...NEIGHBOURS.slice(0, 4), POISON, ...NEIGHBOURS.slice(4)];

// A database of western dead letters only refuses every other dead letter, as data.
const { sql: admin } = useDatabase();
const name = newDatabaseName();
const sql = useClient(databaseUrl(postgresUrl, name));

beforeAll(async () => {
  await admin`create database ${admin(name)} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`;
  await migrate(sql);
});

afterAll(() => admin`drop database ${admin(name)} with (force)`);

function newRecords() {
  return recordsOf(createPostgresStore(sql, 'handle_once'), { scope: randomUUID(), ...TERMS });
}

test('one key that the database refuses fails alone, not with the batch that it is in', async () => {
  const records = newRecords();
  const claims = await Promise.allSettled(
    KEYS.map((key) => records.claim({ key, token: ALICE, fingerprint: PAYLOAD })),
  );
  for (const [index, claim] of claims.entries()) {
    if (KEYS[index] === POISON) {
      expect(claim).toMatchObject({ status: 'rejected', reason: { dataRefused: true, retriable: false } });
    } else {
      expect(claim).toEqual({
        status: 'fulfilled',
        value: { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null },
      });
    }
  }
});

test('one result that the database refuses fails alone, not with the batch that it is in', async () => {
  const records = newRecords();
  const token = ALICE;
  await Promise.all(NEIGHBOURS.map((key) => records.claim({ key, token, fingerprint: PAYLOAD })));
  const settles = await Promise.allSettled(
    NEIGHBOURS.map((key, index) =>
      records.settle({ key, token, settlement: succeeded(index === 3 ? POISON : 'ok') }),
    ),
  );
  const refused = settles.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([settles[3]]);
  expect(refused).toMatchObject([{ reason: expect.any(StoreError) as unknown }]);
});

test('a refused result is left out, and its neighbours keep theirs', async () => {
  const handleOnce = createHandleOnce({ sql, scope: randomUUID() });
  const resultOf = (key: string) => (key === 'good-3' ? POISON : key);
  const run = () => Promise.all(NEIGHBOURS.map((key) => handleOnce(key, {}, () => resultOf(key))));

  const first = await run();
  expect(first).toMatchObject(
    NEIGHBOURS.map((key) => ({ state: 'succeeded', replayed: false, result: resultOf(key) })),
  );
  expect(first[3]).toMatchObject({ resultOmitted: 'refused-by-store' });

  const replays = await run();
  expect(replays).toEqual(
    NEIGHBOURS.map((key, index) => ({
      state: 'succeeded',
      replayed: true,
      attempts: 1,
      result: index === 3 ? undefined : key,
      ...(index === 3 ? { resultOmitted: 'refused-by-store' } : {}),
    })),
  );
});

test('the text of an error that the database refuses does not keep the record from failing', async () => {
  const handleOnce = createHandleOnce({ sql, scope: randomUUID(), maxAttempts: 1 });
  const run = () =>
    handleOnce('key', {}, () => {
      throw new Error(POISON);
    });
  expect(await run()).toMatchObject({ state: 'failed', replayed: false, error: { message: POISON } });
  expect(await run()).toMatchObject({ state: 'failed', replayed: true, reason: 'attempts-exhausted' });
});
