import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook } from 'handle-once/webhook';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { githubDelivery } from './support/bench.ts';

const { sql } = useDatabase();
const base = { source: 'github', verify: () => true, inTransaction: true } as const;

beforeAll(async () => {
  await sql`create table issues (action text not null)`;
});

const issues = () => sql`select action from issues`;

test('what a handler writes through its transaction commits with the record, and is rolled back when it throws', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'hooks', backoff: () => 0 });
  const handleWebhook = onceEachWebhook({ ...base, handleOnce, parse: String }, async (body, attempt, tx) => {
    await tx`insert into issues (action) values (${body})`;
    expect(attempt.headers['x-github-event']).toBe('issues');
    if (attempt.number === 1) throw new Error('not yet');
    return 'done';
  });
  const delivery = githubDelivery('a', 'opened');
  expect(await handleWebhook(delivery)).toMatchObject({ answer: { status: 503 } });
  expect(await issues()).toEqual([]);
  expect(await handleWebhook(delivery)).toMatchObject({ outcome: { result: 'done', attempts: 2 } });
  expect(await issues()).toEqual([{ action: 'opened' }]);
  expect(await handleWebhook(delivery)).toMatchObject({ outcome: { replayed: true } });
  expect(await issues()).toHaveLength(1);
});

test('a store without transactions is refused', () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'hooks' });
  const wrap = () => onceEachWebhook({ ...base, handleOnce }, () => 1);
  expect(wrap).toThrow('inTransaction: needs a handleOnce made with sql');
});
