import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createHandleOnce } from '../../../src/index.ts';
import type { PostgresClient } from '../../../src/postgres/postgres-client.ts';
import { useDatabase } from '../../support/database.ts';

const { sql } = useDatabase();

let statements = 0;
const counting: PostgresClient = {
  unsafe(...query) {
    statements += 1;
    return sql.unsafe(...query);
  },
  begin: () => Promise.reject(new Error('the hot path opens no transaction')),
};

// Once a day a process says which it is.
beforeAll(async () => {
  await newHandleOnce()('key', {}, () => 'done');
});

beforeEach(() => {
  statements = 0;
});

function newHandleOnce() {
  return createHandleOnce({ sql: counting, scope: randomUUID() });
}

test('a fresh message takes two statements', async () => {
  const handleOnce = newHandleOnce();
  await handleOnce('key', {}, () => 'done');
  expect(statements).toBe(2);
});

test('a duplicate takes one statement', async () => {
  const handleOnce = newHandleOnce();
  await handleOnce('key', {}, () => 'done');
  statements = 0;
  expect(await handleOnce('key', {}, () => 'again')).toMatchObject({ replayed: true, result: 'done' });
  expect(statements).toBe(1);
});

test('a hundred messages at one moment share a few statements', async () => {
  const handleOnce = newHandleOnce();
  await Promise.all(Array.from({ length: 100 }, (_, index) => handleOnce(`key-${index}`, {}, () => index)));
  expect(statements).toBeLessThanOrEqual(10);
});
