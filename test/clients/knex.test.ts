import knex, { type Knex } from 'knex';
import { expect, test } from 'vitest';
import { createHandleOnce } from '../../src/index.ts';
import { fromKnex } from '../../adapters/clients/index.ts';
import { useDatabase } from '../support/database.ts';
import { clientContract } from './contract.ts';
import type { Library } from './library.ts';

function open(url: string): Library<Knex.Transaction> {
  const db = knex({ client: 'pg', connection: url });
  return {
    client: fromKnex(db),
    insert: (transaction, id) => transaction('handle_once_effects').insert({ id }).then(),
    close: () => db.destroy(),
  };
}

clientContract('Knex', open, { tellBreaks: true });

const { url } = useDatabase();

test.each([
  [true, ['handle_once']],
  [false, []],
])('with prepare: %s its sessions keep the statements %j', async (prepare, kept) => {
  const db = knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  await fromKnex(db, { prepare }).query('select $1::text as cell', ['a']);
  const names = await db<{ name: string }>('pg_prepared_statements').pluck('name');
  await db.destroy();
  expect(names.map((name: string) => name.replace(/_[0-9a-f]{16}$/, ''))).toEqual(kept);
});

test('a transaction in place of a Knex is refused with words', async () => {
  const db = knex({ client: 'pg', connection: url });
  await db.transaction((transaction) => {
    expect(() => fromKnex(transaction as never)).toThrow(
      /fromKnex: knex: must be a Knex, not one of its transactions/,
    );
    return Promise.resolve();
  });
  await db.destroy();
});

test('a postProcessResponse that makes nulls undefined loses no cell', async () => {
  const postProcessResponse = (result: { rows: unknown[][] }): unknown => {
    return { ...result, rows: result.rows.map((row) => row.map((cell) => cell ?? undefined)) };
  };
  const db = knex({ client: 'pg', connection: url, postProcessResponse });
  expect(await fromKnex(db).query("select null as empty, 'a' as cell", [])).toEqual([[null, 'a']]);
  await db.destroy();
});

test.each(['commit', 'rollback'] as const)(
  'a handler that calls %s of its transaction has failed, and what the connection is given to next is whole',
  async (end) => {
    const db = knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
    const handleOnce = createHandleOnce({ sql: fromKnex(db), scope: end, onEvent: () => undefined });
    await db.raw('create table if not exists handled (by text)');
    const next = await handleOnce.inTransaction('a', 'body', async (_, __, transaction) => {
      const ofOthers = db.transaction((other) => other('handled').insert({ by: end }));
      await transaction[end]();
      // It has the connection now.
      await ofOthers;
      return 'done';
    });
    expect(next).toMatchObject({
      reason: 'released',
      error: { message: expect.stringContaining('rolled back its transaction itself') as string },
    });
    expect(await db('handled').where({ by: end })).toHaveLength(1);
    for (const key of ['b', 'c']) {
      expect(await handleOnce.inTransaction(key, 'body', () => 'done')).toMatchObject({ state: 'succeeded' });
    }
    await db.destroy();
  },
);

test('tells the size of its pool', async () => {
  const db = knex({ client: 'pg', connection: url, pool: { max: 7 } });
  expect(fromKnex(db).maxConnections).toBe(7);
  await db.destroy();
});
