import { expect, test } from 'vitest';
import type { DatabaseQueries } from '../../src/postgres/database-client.ts';
import { setSavepoint } from '../../src/store/postgres/savepoint.ts';

const SET =
  'savepoint handle_once; set transaction isolation level read committed, read write; ' +
  "select (case when coalesce(current_setting('handle_once.within', true), '') = '' then '0' " +
  "else 'another call of within is under way in this transaction' end)::int, " +
  "set_config('handle_once.within', 'MARK', true)";
const RELEASE = "select set_config('handle_once.within', '', true); release savepoint handle_once";
const UNDO =
  'rollback to savepoint handle_once; release savepoint handle_once; ' +
  "select (case when current_setting('handle_once.within', true) is distinct from 'MARK' then '0' " +
  "else 'the handler of within has set a savepoint of the same name' end)::int";
const MARKS = /\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g;

/** A transaction that refuses what begins with a text. */
function refusing(what: string) {
  const statements: string[] = [];
  const transaction: DatabaseQueries = {
    query: () => Promise.resolve([]),
    execute(text) {
      statements.push(text.replaceAll(MARKS, 'MARK'));
      return text.startsWith(what) ? Promise.reject(new Error('connection lost')) : Promise.resolve();
    },
  };
  return { statements, queriesWith: () => transaction };
}

const quiet = (): void => undefined;

test('work that throws is told as it threw, also where its savepoint cannot be rolled back to', async () => {
  const { statements, queriesWith } = refusing('rollback');
  const savepoint = await setSavepoint('settle', queriesWith);
  const failed = savepoint.run(() => Promise.reject(new Error('never again')), quiet);
  await expect(failed).rejects.toThrow('never again');
  await savepoint.release();
  expect(statements).toEqual([SET, UNDO]);
});

test('a savepoint in which nothing was run is released, and a refusal of that is not told', async () => {
  const { statements, queriesWith } = refusing('select');
  const savepoint = await setSavepoint('settle', queriesWith);
  await savepoint.release();
  expect(statements).toEqual([SET, RELEASE]);
});

test('what has been run is not released twice', async () => {
  const { statements, queriesWith } = refusing('none');
  const savepoint = await setSavepoint('settle', queriesWith);
  expect(await savepoint.run(() => Promise.resolve('done'), quiet)).toBe('done');
  await savepoint.release();
  expect(statements).toEqual([SET, RELEASE]);
});

test('a transaction that takes no statement is a StoreError', async () => {
  const { queriesWith } = refusing('savepoint');
  await expect(setSavepoint('settle', queriesWith)).rejects.toMatchObject({ code: 'STORE', retriable: true });
});
