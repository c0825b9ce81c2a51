import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { watchCommits } from '../kafka/broker/support/commit-watch.ts';

/** Looks at what is answered, one after the other, the last one again and again. No message is unsettled. */
async function looksAt(answers: readonly number[][], lastingMs: number) {
  const left = [...answers];
  const watch = watchCommits({
    sql: (() => Promise.resolve([])) as unknown as postgres.Sql,
    ...{ scope: 'scope', topic: 'orders', lastingMs },
    committed: () => Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? []),
  });
  while (watch.looks() < 2) await watch.look();
  return watch.wentBack;
}

test('a step back that is over soon is that of a coordinator that has just taken over', async () => {
  expect(
    await looksAt(
      [
        [4, 239],
        [4, 238],
        [4, 238],
        [5, 240],
      ],
      60_000,
    ),
  ).toEqual([]);
});

test('a step back that lasts is a commit that went back', async () => {
  expect(
    await looksAt(
      [
        [4, 239],
        [4, 238],
      ],
      50,
    ),
  ).toEqual(['partition 1 went from 239 to 238']);
});
