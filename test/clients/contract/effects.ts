import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createHandleOnce, type HandleOnce } from '../../../src/index.ts';
import { column, type Library } from '../library.ts';

export function effectsContract<Tx>(library: () => Library<Tx>): void {
  describe('A handler in a transaction', () => {
    let handleOnce: HandleOnce<Tx>;
    const effects = () => column(library().client, 'select id from effects order by id');
    const insert = (transaction: Tx, id: string) => library().insert(transaction, id);

    beforeEach(async () => {
      await library().client.execute('delete from effects');
      handleOnce = createHandleOnce({ sql: library().client, scope: randomUUID(), backoff: () => 0 });
    });

    test('commits its effect and its record together, and a replay runs nothing', async () => {
      const first = await handleOnce.inTransaction('key', 'body', async (body, _, transaction) => {
        await insert(transaction, body);
        return 'done';
      });
      expect(first).toMatchObject({ state: 'succeeded', replayed: false, result: 'done' });
      const handler = vi.fn();
      expect(await handleOnce.inTransaction('key', 'body', handler)).toMatchObject({
        replayed: true,
        result: 'done',
      });
      expect(handler).not.toHaveBeenCalled();
      expect(await effects()).toEqual(['body']);
    });

    test('that throws leaves nothing of its effect, and is tried again with the attempt counted', async () => {
      const thrown = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        throw new Error('later');
      });
      expect(thrown).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'later' } });
      expect(await effects()).toEqual([]);
      const again = await handleOnce.inTransaction('key', 'body', (_, __, tx) => insert(tx, 'whole'));
      expect(again).toMatchObject({ state: 'succeeded', attempts: 2 });
      expect(await effects()).toEqual(['whole']);
    });

    test('whose statement is refused is tried again, though it goes on', async () => {
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        await library()
          .client.in(transaction)
          .execute('select 1/0')
          .catch(() => undefined);
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
      expect(await effects()).toEqual([]);
    });

    test('that leaves a statement behind, which fails after the settle, is tried again', async () => {
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        const queries = library().client.in(transaction);
        void queries
          .execute('select pg_sleep(0.05)')
          .then(() => queries.execute('select 1/0'))
          .catch(() => undefined);
      });
      // A library may send the second statement after the COMMIT: then the effect and the record are there together.
      const isCommitted = outcome.state === 'succeeded';
      expect(await effects()).toEqual(isCommitted ? ['half'] : []);
      const handler = vi.fn(() => undefined);
      const again = await handleOnce.inTransaction('key', 'body', handler);
      expect([again.state, handler.mock.calls.length]).toEqual(['succeeded', isCommitted ? 0 : 1]);
    });

    test('whose commit is refused leaves nothing, and is an error like any other', async () => {
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'effect');
        await library().client.in(transaction).execute(`insert into children (parent) values ('nobody')`);
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
      expect(await effects()).toEqual([]);
    });

    test('runs beside more of them than the client has connections', async () => {
      const keys = Array.from({ length: 25 }, (_, index) => `key-${index}`);
      const outcomes = await Promise.all(
        keys.map((key) => handleOnce.inTransaction(key, 'body', (_, __, tx) => insert(tx, key))),
      );
      expect(outcomes.map(({ state }) => state)).toEqual(keys.map(() => 'succeeded'));
      expect(await effects()).toEqual(keys.toSorted());
    });
  });

  test('what work in a transaction throws is what begin throws', async () => {
    const error = new Error('of the work');
    await expect(library().client.begin(() => Promise.reject(error))).rejects.toBe(error);
  });
}
