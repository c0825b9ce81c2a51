import { createHandleOnce } from 'handle-once';
import { expect, test } from 'vitest';
import { useClient } from '../store/postgres/client.ts';
import { useDatabase } from '../support/database.ts';
import { expectSoon, until } from '../support/until.ts';

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

test('a line of failures that the database refuses does not take its neighbours along', async () => {
  await sql`alter table handle_once.failures add constraint no_refused check (key <> 'refused')`;
  const handleOnce = createHandleOnce({ sql, scope: 'lines', onEvent: () => undefined });
  const fail = (key: string) => handleOnce(key, 'body', () => Promise.reject(new Error('no')));
  await Promise.all(['one', 'refused', 'two'].map(fail));
  await until(() => handleOnce.counts()['failures-dropped']);
  await fail('three');
  const keys = async (): Promise<string[]> => {
    const lines = await sql<{ key: string }[]>`
      select key from handle_once.failures where scope = 'lines' order by key`;
    return lines.map(({ key }) => key);
  };
  await expectSoon(async () => {
    expect(await keys()).toEqual(['one', 'three', 'two']);
  });
  expect(handleOnce.counts()).toMatchObject({ 'failures-dropped': 1 });
});
