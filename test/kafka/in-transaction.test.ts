import { randomUUID } from 'node:crypto';
import { createHandleOnce } from 'handle-once';
import { expect, test } from 'vitest';
import { fromPostgres } from '../../src/postgres/from-postgres.ts';
import { useDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { bench } from './support/bench.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

const { sql } = useDatabase();

/** A client whose transactions lose a conflict at their end, as at a COMMIT, if the first run was meanwhile. */
function conflictingWith(runs: readonly string[]): ReturnType<typeof fromPostgres> {
  const client = fromPostgres(sql);
  return {
    ...client,
    lastIn: undefined,
    begin(work) {
      const before = runs.length;
      return client.begin(async (transaction) => {
        const value = await work(transaction);
        if (before === 0 && runs.length === 1) throw Object.assign(new Error('conflict'), { code: '40001' });
        return value;
      });
    },
  };
}

test('a transaction that loses a conflict keeps its place while its handler runs again', async () => {
  const runs: string[] = [];
  let running = 0;
  let most = 0;
  const { run } = bench({
    handleOnce: createHandleOnce({ sql: conflictingWith(runs), scope: randomUUID() }),
    ...({ inTransaction: true } as object),
    ordering: 'unordered',
    concurrency: 1,
    async work({ message: { offset } }) {
      runs.push(offset);
      running += 1;
      most = Math.max(most, running);
      // Another message, if it is let in, runs beside the second run: it waits for that, which leaves it time to come.
      if (offset !== runs[0]) await until(() => runs.length === 3);
      else for (let looks = 0; looks < 20; looks += 1) await sql`select 1`;
      running -= 1;
    },
  });
  const batch = fakeBatch([message(10), message(11)]);
  const handled = run(batch);
  await until(() => handled.state === 'ended');
  expect(runs).toHaveLength(3);
  expect(most).toBe(1);
  expect(batch.resolved.at(-1)).toBe('11');
});
