import { hostname } from 'node:os';
import { createHandleOnce } from 'handle-once';
import { expect, test } from 'vitest';
import { textOf } from '../docs/documents.ts';
import { gate } from '../support/gate.ts';
import { useDatabase } from '../support/database.ts';
import { expectSoon } from '../support/until.ts';

const { sql } = useDatabase();

/** The statement below a heading of docs/runbook.md. */
function statementOf(heading: string): string {
  const section = textOf('docs/runbook.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return /^```sql\n(.*?)^```/ms.exec(section)?.[1] ?? '';
}

test('the processes that have messages are listed, the one with the oldest first', async () => {
  const [running, begun] = [gate(), gate()];
  const handleOnce = createHandleOnce({ sql, scope: 'billing' });
  const call = handleOnce('slow', 'body', () => {
    begun.open();
    return running.opened;
  });
  await begun.opened;
  await expectSoon(async () => {
    const rows = await sql.unsafe(statementOf('A message is stuck'));
    expect(rows).toMatchObject([{ host: hostname(), pid: process.pid, running: '1' }]);
  });
  running.open();
  await call;
});

test('what a shorter retention would have deleted is deleted, and all other records stay', async () => {
  await sql`delete from handle_once.records`;
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select scope, state || day, gen_random_uuid(), '', state, false, 1, now() + (day - 0.5) * interval '1 day', now()
    from generate_series(1, 7) day, unnest(array['billing', 'other']) scope,
      unnest(array['pending', 'succeeded', 'failed']) state`;
  await sql.unsafe(statementOf('The table is too large'));
  const left = await sql<{ key: string }[]>`select key from handle_once.records where scope = 'billing'`;
  const keys = ['pending', 'failed'].flatMap((state) => [1, 2, 3, 4, 5, 6, 7].map((day) => `${state}${day}`));
  expect(left.map(({ key }) => key).toSorted()).toEqual([...keys, 'succeeded7'].toSorted());
  expect(await sql`select from handle_once.records where scope = 'other'`).toHaveLength(21);
});
