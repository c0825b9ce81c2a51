import { PGlite, type Transaction } from '@electric-sql/pglite';
import { describe, expect, test } from 'vitest';
import { fromPglite } from '../../adapters/clients/index.ts';
import { createHandleOnce } from '../../src/index.ts';
import { aborted } from '../support/gate.ts';
import { column } from './library.ts';
import { clientContract as clientCases } from '../../testing/contracts/index.ts';
import { fullStoreContract, testAll } from '../store/contract.ts';
import { controlledPostgresStore } from '../store/postgres/controlled-store.ts';
import { useLibrary } from './contract.ts';

describe('PGlite', () => {
  const library = useLibrary(() => {
    const db = new PGlite();
    const client = fromPglite(db);
    return {
      client,
      insert: (transaction, id) =>
        transaction.query('insert into handle_once_effects (id) values ($1)', [id]),
      close: () => db.close(),
    };
  });
  testAll(clientCases({ can: { severalConnections: false, tellBreaks: false }, open: library }));
  fullStoreContract('Its store', () => controlledPostgresStore(library().client));

  test('lets a handler in a transaction that outlives its lease know, and commits nothing of it', async () => {
    const handleOnce = createHandleOnce({ sql: library().client, scope: 'slow', leaseMs: 200 });
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, { signal }, transaction) => {
      await library().insert(transaction, 'too late');
      throw await aborted(signal);
    });
    expect(outcome).toMatchObject({ state: 'pending' });
    expect(
      await column(library().client, `select id from handle_once_effects where id = 'too late'`),
    ).toEqual([]);
  });

  // PGlite itself refuses them from 0.5 on, with another error. Before it sent what comes after a handler has thrown.
  test.each<[string, (tx: Transaction) => Promise<unknown>]>([
    ['a query', (tx) => tx.query('select 1')],
    ['a template', (tx) => tx.sql`select 1`],
    ['statements', (tx) => tx.exec('select 1')],
    ['a rollback', (tx) => tx.rollback()],
    ['a listener', (tx) => tx.listen('news', () => undefined)],
  ])('refuses %s after the work of its transaction has returned or thrown', async (_, send) => {
    const { client } = library();
    const late: Transaction[] = [];
    await client.begin((transaction) => Promise.resolve(late.push(transaction)));
    await client
      .begin((transaction) => Promise.reject(new Error(String(late.push(transaction)))))
      .catch(() => 1);
    expect(late).toHaveLength(2);
    for (const transaction of late) {
      await expect(send(transaction)).rejects.toThrow(
        /the transaction has ended: the statement was not sent/,
      );
    }
  });

  test('lets a handler use all of its transaction', async () => {
    const { client } = library();
    await client.begin(async (transaction) => {
      expect((await transaction.sql<{ n: number }>`select ${7}::int as n`).rows).toEqual([{ n: 7 }]);
      expect(transaction.closed).toBe(false);
      await transaction.rollback();
      expect(transaction.closed).toBe(true);
    });
  });

  test('refuses its transaction in place of itself with words', async () => {
    await library().client.begin((transaction) => {
      expect(() => fromPglite(transaction as never)).toThrow(
        /fromPglite: db: must be a PGlite, not one of its trans/,
      );
      return Promise.resolve();
    });
  });
});
