import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createHandleOnce, type HandleOnce } from '../../../src/index.ts';
import { column, type Library } from '../library.ts';

export function withinContract<Tx>(library: () => Library<Tx>): void {
  describe("A handler within a transaction of the library's own", () => {
    let handleOnce: HandleOnce<Tx>;
    const effects = () => column(library().client, 'select id from effects order by id');
    const insert = (transaction: Tx, id: string) => library().insert(transaction, id);

    beforeEach(async () => {
      await library().client.execute('delete from effects');
      handleOnce = createHandleOnce({ sql: library().client, scope: randomUUID() });
    });

    test('is on record with its effect when that commits', async () => {
      const outcome = await library().transaction(async (transaction) => {
        await insert(transaction, 'before');
        return handleOnce.within(transaction)('key', 'body', () => insert(transaction, 'effect'));
      });
      expect(outcome).toMatchObject({ state: 'succeeded', replayed: false });
      expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ replayed: true });
      expect(await effects()).toEqual(['before', 'effect']);
    });

    test('is forgotten with its effect when that rolls back', async () => {
      const rolledBack = library().transaction(async (transaction) => {
        await handleOnce.within(transaction)('key', 'body', () => insert(transaction, 'effect'));
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ reason: 'in-flight' });
      expect(await effects()).toEqual([]);
    });

    test('is undone alone when it throws, and the transaction goes on', async () => {
      const outcome = await library().transaction(async (transaction) => {
        await insert(transaction, 'before');
        const handled = await handleOnce.within(transaction)('key', 'body', async () => {
          await insert(transaction, 'effect');
          throw new Error('later');
        });
        await insert(transaction, 'after');
        return handled;
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
      expect(await effects()).toEqual(['after', 'before']);
    });
  });
}
