import { expect, test, vi } from 'vitest';
import type { PostgresConnection, PostgresQueries } from '../../src/postgres/postgres-client.ts';
import { watchConnections } from '../../src/postgres/watch-connection.ts';

const LOST = new Error('the connection broke');

function transaction() {
  const ended = new WeakSet<object>();
  const queries: PostgresQueries = { unsafe: () => ({ raw: () => Promise.resolve([]) }) };
  const told = vi.fn();
  const connection: PostgresConnection = { onclose: told };
  return { ended, queries, told, connection, watch: watchConnections(ended) };
}

test('what has begun the transaction is told of the break, and the last call in it', () => {
  const { ended, queries, told, connection, watch } = transaction();
  const [first, second] = [vi.fn(), vi.fn()];
  for (const onBroken of [first, second]) expect(watch.watch(queries, onBroken)(connection)).toBe(true);
  expect(ended.has(queries)).toBe(false);
  connection.onclose?.(LOST);
  expect(ended.has(queries)).toBe(true);
  expect(told).toHaveBeenCalledExactlyOnceWith(LOST);
  expect(second).toHaveBeenCalledExactlyOnceWith(LOST);
  expect(first).not.toHaveBeenCalled();
});

test('a statement that gets no answer rejects when its connection breaks, and no other one', async () => {
  const { queries, connection, watch } = transaction();
  watch.watch(queries, () => undefined)(connection);
  const answered = watch.answer(queries, Promise.resolve('done'));
  const refused = watch.answer(queries, Promise.reject(new Error('refused')));
  expect(await answered).toBe('done');
  await expect(refused).rejects.toThrow('refused');
  const unanswered = watch.answer(queries, new Promise(() => undefined));
  connection.onclose?.(LOST);
  await expect(unanswered).rejects.toBe(LOST);
});

test('the answer in a transaction that is not watched is left as it is', () => {
  const { queries, watch } = transaction();
  const answer = Promise.resolve(1);
  expect(watch.answer(queries, answer)).toBe(answer);
});
