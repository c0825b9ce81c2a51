import { createHandleOnce } from 'handle-once';
import { expect, test } from 'vitest';
import { useClient } from '../store/postgres/client.ts';
import { useDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const { sql, url } = useDatabase();
const one = useClient(url, { max: 1 });

test('locked tables of failures and workers hold no message up, with one connection', async () => {
  const handleOnce = createHandleOnce({ sql: one, scope: 'billing', onEvent: () => undefined });
  await sql.begin(async (holder) => {
    await holder`lock table handle_once.failures, handle_once.workers in access exclusive mode`;
    await handleOnce('bad', 'body', () => Promise.reject(new Error('no')));
    expect(await handleOnce('next', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
    await until(() => handleOnce.counts()['failures-dropped']);
  });
});
