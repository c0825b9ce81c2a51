import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { beginWhole } from '../../src/postgres/begin-whole.ts';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';

type Begin = DatabaseClient['begin'];

const clientWith = (begin: (work: () => Promise<unknown>) => Promise<unknown>): DatabaseClient =>
  ({ begin: ((work) => begin(() => work({}))) as Begin }) as Partial<DatabaseClient> as DatabaseClient;

const broken = new Error('the connection broke');
const wrong = new Error('of the handler');

/** Work that ends when it is let. */
function slowWork() {
  let end: (ended: Promise<string>) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

test('the value of the work is the value of the transaction', async () => {
  const onBroken = vi.fn();
  const begun = beginWhole(
    clientWith((work) => work()),
    () => Promise.resolve(7),
    onBroken,
  );
  expect(await begun).toBe(7);
  expect(onBroken).not.toHaveBeenCalled();
});

test.each<[what: string, begin: (work: () => Promise<unknown>) => Promise<unknown>, error: Error]>([
  ['cannot begin', () => Promise.reject(broken), broken],
  ['cannot commit', (work) => work().then(() => Promise.reject(broken)), broken],
  ['has work that throws', (work) => work().then(() => Promise.reject(wrong)), wrong],
])('one that %s has not broken beneath its work', async (_, begin, error) => {
  const onBroken = vi.fn();
  await expect(beginWhole(clientWith(begin), () => Promise.resolve(), onBroken)).rejects.toBe(error);
  expect(onBroken).not.toHaveBeenCalled();
});

test('the library is given the error of the work, to roll back', async () => {
  const begin = vi.fn((work: () => Promise<unknown>) => work());
  await expect(beginWhole(clientWith(begin), () => Promise.reject(wrong), undefined)).rejects.toBe(wrong);
  await expect(begin.mock.results[0]?.value).rejects.toBe(wrong);
});

test.each<[ended: string, end: () => Promise<string>, error: Error]>([
  ['fails, with its error', () => Promise.reject(wrong), wrong],
  ['succeeds, with the one of the library', () => Promise.resolve('value'), broken],
])('one that breaks beneath its work says so, and ends when that %s', async (_, end, error) => {
  const onBroken = vi.fn();
  const { work, end: endWork } = slowWork();
  const settled = vi.fn();
  const begun = beginWhole(
    clientWith((run) => {
      void run().catch(() => undefined);
      return Promise.reject(broken);
    }),
    work,
    onBroken,
  );
  begun.then(settled, settled);
  await vi.waitFor(() => {
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(broken);
  });
  expect(settled).not.toHaveBeenCalled();
  endWork(end());
  await expect(begun).rejects.toBe(error);
});

test('one that breaks beneath its work need not say so', async () => {
  const { work, end } = slowWork();
  const begun = beginWhole(
    clientWith((run) => {
      void run();
      return Promise.reject(broken);
    }),
    work,
    undefined,
  );
  const refused = expect(begun).rejects.toBe(broken);
  await nextTurn();
  end(Promise.resolve('value'));
  await refused;
});

test('one that its own work commits ends with the work', async () => {
  const onBroken = vi.fn();
  const { work, end } = slowWork();
  const begun = beginWhole(
    clientWith((run) => {
      void run();
      return Promise.resolve('nothing');
    }),
    work,
    onBroken,
  );
  end(Promise.resolve('value'));
  expect(await begun).toBe('value');
  expect(onBroken).not.toHaveBeenCalled();
});
