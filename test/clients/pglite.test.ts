import { PGlite } from '@electric-sql/pglite';
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

  test('refuses its transaction in place of itself with words', async () => {
    await library().client.begin((transaction) => {
      expect(() => fromPglite(transaction as never)).toThrow(/fromPglite: db: must be a PGlite, not a trans/);
      return Promise.resolve();
    });
  });
});
