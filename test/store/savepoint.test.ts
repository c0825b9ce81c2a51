import { expect, test } from 'vitest';
import type { DatabaseQueries } from '../../src/store/postgres/database-client.ts';
import { savepoint } from '../../src/store/postgres/transaction.ts';

test('work that throws is told as it threw, also where its savepoint cannot be rolled back to', async () => {
  const statements: string[] = [];
  const transaction: DatabaseQueries = {
    query: () => Promise.resolve([]),
    execute(text) {
      statements.push(text);
      return text.startsWith('rollback') ? Promise.reject(new Error('connection lost')) : Promise.resolve();
    },
  };
  const failed = savepoint(transaction, () => Promise.reject(new Error('never again')));
  await expect(failed).rejects.toThrow('never again');
  expect(statements).toEqual([
    'savepoint handle_once; set transaction isolation level read committed',
    'rollback to savepoint handle_once',
  ]);
});
