import { inspect } from 'node:util';
import pg from 'pg';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fromPg } from '../../../adapters/clients/index.ts';
import {
  createHandleOnce,
  type HandleOnceError,
  migrate,
  SchemaError,
  StoreError,
} from '../../../src/index.ts';
import type { Store } from '../../../src/store.ts';
import type { DatabaseClient } from '../../../src/postgres/database-client.ts';
import { claim } from '../../../src/store/postgres/claim.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { statementsOf } from '../../../src/store/postgres/statements/index.ts';
import { useDatabase, useEmptyDatabase } from '../../support/database.ts';
import { ALICE, PAYLOAD, TERMS } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { useRole } from './role.ts';

const SECRET = 'secret-of-the-message';

const VERBS: [verb: string, send: (store: Store) => Promise<unknown>][] = [
  [
    'claim',
    (store) => store.claim([{ key: SECRET, token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS }),
  ],
  [
    'settle',
    (store) => store.settle([{ key: SECRET, token: ALICE, settlement: succeeded(`"${SECRET}"`) }], 's'),
  ],
  ['extend', (store) => store.extend([{ key: SECRET, token: ALICE }], { scope: 's', leaseMs: 1_000 })],
];

async function failureOf(promise: Promise<unknown>): Promise<HandleOnceError> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as HandleOnceError,
  );
}

const { url, sql } = useDatabase();
const empty = useEmptyDatabase();

const stranger = useRole(sql);

describe.each(VERBS)('%s', (_, send) => {
  const unreachable = useClient('postgres://nowhere@127.0.0.1:1/none', { connect_timeout: 5 });
  const readOnly = useClient(url, { connection: { default_transaction_read_only: true } });
  const withoutRights = useClient(url, { connection: { role: stranger } });
  const hurried = useClient(url, { connection: { statement_timeout: 100 } });

  test('on a database without the tables says to run migrate', async () => {
    const error = await failureOf(send(createPostgresStore(empty.sql, 'handle_once')));
    expect(error).toBeInstanceOf(SchemaError);
    expect(error).toMatchObject({ code: 'SCHEMA', retriable: false });
    expect(error.message).toMatch(/run migrate\(sql\)/);
  });

  test('with a schema name that was never migrated says to run migrate', async () => {
    const error = await failureOf(send(createPostgresStore(sql, 'elsewhere')));
    expect(error).toBeInstanceOf(SchemaError);
    expect(error.message).toMatch(
      /in schema "elsewhere".*run migrate\(sql\), or npx handle-once migrate, with the same schema name/,
    );
  });

  test('on an unreachable database can be sent again', async () => {
    const error = await failureOf(send(createPostgresStore(unreachable, 'handle_once')));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ retriable: true, dataRefused: false });
    expect(error.message).toMatch(/cannot be reached.*ECONNREFUSED/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('as a role without rights is not sent again', async () => {
    const error = await failureOf(send(createPostgresStore(withoutRights, 'handle_once')));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ retriable: false, dataRefused: false });
    expect(error.message).toMatch(/SQLSTATE 42501/);
    expect(error.message).toContain('; grant select, insert, update on "handle_once".records to ROLE;');
  });

  test('on a read-only standby can be sent again, to the next primary', async () => {
    const error = await failureOf(send(createPostgresStore(readOnly, 'handle_once')));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ retriable: true, dataRefused: false });
    expect(error.message).toMatch(/accepts no writes.*connect the client to the primary/);
  });

  test('that the database cancelled can be sent again', async () => {
    const session = await sql.reserve();
    await session`begin`;
    await session`lock handle_once.records in access exclusive mode`;
    const error = await failureOf(send(createPostgresStore(hurried, 'handle_once')));
    await session`rollback`;
    session.release();
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ retriable: true, dataRefused: false });
    expect(error.message).toContain('statement_timeout');
  });

  test('shows no key, no result and no payload in its errors, nor in their causes', async () => {
    const stores = [
      createPostgresStore(empty.sql, 'handle_once'),
      createPostgresStore(unreachable, 'handle_once'),
      createPostgresStore(readOnly, 'handle_once'),
    ];
    for (const store of stores) {
      const error = await failureOf(send(store));
      expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
    }
  });
});

describe('A client that cannot log in says why', () => {
  const withUrl = (change: (url: URL) => void): string => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };
  const limited = useRole(sql);
  beforeAll(() => sql`alter role ${sql(limited)} login connection limit 0`);

  test.each([
    ['the database does not exist', '3D000', false, withUrl((to) => (to.pathname = 'no_such_database'))],
    ['does not let this role log in', '28000', false, withUrl((to) => (to.username = 'no_such_role'))],
    ['no connection left', '53300', true, withUrl((to) => (to.username = limited))],
  ])('%s (%s)', async (words, state, retriable, wrongUrl) => {
    const wrong = postgres(wrongUrl, { max: 1 });
    onTestFinished(() => wrong.end({ timeout: 5 }));
    const error = await failureOf(createPostgresStore(wrong, 'handle_once').settle([REQUEST], 's'));
    expect(error).toMatchObject({ code: 'STORE', retriable, cause: { code: state } });
    expect(error.message).toContain(`${words} (SQLSTATE ${state}): `);
  });
});

describe('A client that was closed', () => {
  const closed = {
    postgres: async () => {
      const client = postgres(url, { max: 1 });
      await client`select 1`;
      await client.end();
      return createPostgresStore(client, 'handle_once');
    },
    pg: async () => {
      const pool = new pg.Pool({ connectionString: url });
      await pool.end();
      return createPostgresStore(fromPg(pool), 'handle_once');
    },
  };

  test.each(Object.entries(closed))(
    'by %s is named, and what was never sent has not landed',
    async (_, close) => {
      const error = await failureOf((await close()).settle([REQUEST], 's'));
      expect(error).toMatchObject({ code: 'STORE', retriable: false, mayHaveLanded: false });
      expect(error.message).toMatch(/^the client was closed \(.*\): end it after the workers have stopped$/);
    },
  );
});

describe('A role that lacks one right is told which', () => {
  const clerk = useRole(sql);
  const client = useClient(url, { connection: { role: clerk } });
  const store = createPostgresStore(client, 'handle_once');

  test('on the schema', async () => {
    const { message } = await failureOf(store.settle([REQUEST], 's'));
    expect(message).toMatch(/lacks a right on schema handle_once .*: grant usage on schema "handle_once" to/);
  });

  test('on the table of versions', async () => {
    await sql`grant usage on schema handle_once to ${sql(clerk)}`;
    await sql`grant select, insert, update on handle_once.records to ${sql(clerk)}`;
    const { message } = await failureOf(store.check?.() ?? Promise.resolve());
    expect(message).toMatch(
      /lacks a right on table migrations .*; grant select on "handle_once".migrations to/,
    );
    expect(message).not.toContain('records');
  });

  test('on a database that has to be migrated', async () => {
    const { message } = await failureOf(migrate(client, { schema: 'handle_twice' }));
    expect(message).toMatch(/lacks a right on database .*as a role that may create schemas/);
  });
});

const REQUEST = { key: 'key', token: ALICE, settlement: succeeded('1') };

describe('A claim whose second statement fails', () => {
  /** The first one claims what is new; the database refuses the other. */
  function refused(code: string, keys: readonly string[]): Promise<HandleOnceError> {
    const query = vi
      .fn<DatabaseClient['query']>()
      .mockResolvedValueOnce([['new', 'claimed', '1', '0', null]])
      .mockRejectedValue(Object.assign(new Error('no'), { code }));
    const requests = keys.map((key) => ({ key, token: ALICE, fingerprint: PAYLOAD }));
    const client = { query } as Partial<DatabaseClient> as DatabaseClient;
    return failureOf(claim(client, statementsOf('handle_once'), requests, { scope: 's', ...TERMS }));
  }

  const NO_ROOM = '53200';

  test('may have landed, where others were claimed by the first', async () => {
    const error = await refused(NO_ROOM, ['new', 'old']);
    expect(error).toMatchObject({ code: 'STORE', retriable: true, mayHaveLanded: true, dataRefused: false });
    expect(error.cause).toMatchObject({ code: NO_ROOM });
  });

  test('has not landed alone', async () => {
    const error = await refused(NO_ROOM, ['old']);
    expect(error).toMatchObject({ retriable: true, mayHaveLanded: false });
  });

  test('is sent again in halves where a row is refused', async () => {
    const error = await refused('23514', ['new', 'old']);
    expect(error).toMatchObject({ retriable: false, dataRefused: true });
  });
});

test('a claim for which no statement has a row can be sent again, and says where to look', async () => {
  const client = { query: () => Promise.resolve([]) } as Partial<DatabaseClient> as DatabaseClient;
  const requests = [{ key: 'key', token: ALICE, fingerprint: PAYLOAD }];
  const error = await failureOf(
    claim(client, statementsOf('handle_once'), requests, { scope: 's', ...TERMS }),
  );
  expect(error).toMatchObject({ code: 'STORE', retriable: true });
  expect(error.message).toMatch(/returned no row for a claimed key: look for a trigger/);
});

test('a key that the database cannot store is told apart from a database that fails', async () => {
  const store = createPostgresStore(sql, 'handle_once');
  const claim = store.claim([{ key: 'nul\0', token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS });
  expect(await failureOf(claim)).toMatchObject({ code: 'STORE', retriable: false, dataRefused: true });
});

test('handleOnce throws what the store threw, and runs nothing', async () => {
  const handleOnce = createHandleOnce({ sql: empty.sql, scope: 'billing' });
  let ran = false;
  const error = await failureOf(
    handleOnce('key', {}, () => {
      ran = true;
    }),
  );
  expect(error).toBeInstanceOf(SchemaError);
  expect(ran).toBe(false);
});
