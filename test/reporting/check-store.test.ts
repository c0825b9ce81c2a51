import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createHandleOnce,
  type HandleOnceEvent,
  type HandleOnceOptions,
  SchemaError,
  StoreError,
} from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { useDatabase, useEmptyDatabase } from '../support/database.ts';

function create(options: Partial<HandleOnceOptions>) {
  const events: HandleOnceEvent[] = [];
  const onEvent = (event: HandleOnceEvent) => events.push(event);
  return { handleOnce: createHandleOnce({ scope: 'billing', ...options, onEvent }), events };
}

describe('checkStore', () => {
  const { sql, url } = useDatabase();
  const empty = useEmptyDatabase();
  const down = postgres('postgres://127.0.0.1:1/postgres', { connect_timeout: 2 });
  const readOnly = postgres(url, { connection: { default_transaction_read_only: true } });
  afterAll(() => Promise.all([down.end(), readOnly.end()]));

  it('resolves where messages can be handled, and tells nothing', async () => {
    const { handleOnce, events } = create({ sql });
    await handleOnce.checkStore();
    await handleOnce.inScope('other').checkStore();
    expect(events).toEqual([]);
  });

  it.each([
    ['were never made', () => ({ sql: empty.sql })],
    ['are in another schema', () => ({ sql, databaseSchema: 'handle_twice' })],
  ])('throws a SchemaError when the tables %s, and tells it', async (_, options) => {
    const { handleOnce, events } = create(options());
    const refused = handleOnce.checkStore();
    await expect(refused).rejects.toThrow(SchemaError);
    await expect(refused).rejects.toThrow(/run migrate\(sql\), .* with the same schema name/);
    expect(events).toMatchObject([
      { type: 'store-error', verb: 'check', key: '', error: { code: 'SCHEMA' } },
    ]);
  });

  it.each([
    [9_999, /version 9999, .* upgrade the package/],
    [0, /version 0, .* run migrate\(sql\)/],
  ])('throws a SchemaError for tables of version %d', async (version, message) => {
    const was = await sql`select * from handle_once.migrations`;
    await sql`delete from handle_once.migrations`;
    if (version > 0) await sql`insert into handle_once.migrations values (${version}, 'later')`;
    const { handleOnce } = create({ sql });
    const refused = handleOnce.checkStore();
    await expect(refused).rejects.toThrow(SchemaError);
    await expect(refused).rejects.toThrow(message);
    await sql`delete from handle_once.migrations`;
    await sql`insert into handle_once.migrations ${sql(was)}`;
  });

  it('throws a StoreError when the database is down', async () => {
    const { handleOnce, events } = create({ sql: down });
    await expect(handleOnce.checkStore()).rejects.toThrow(StoreError);
    expect(events).toMatchObject([{ type: 'store-error', verb: 'check', error: { code: 'STORE' } }]);
  });

  it('throws a StoreError when the database accepts no writes', async () => {
    const { handleOnce, events } = create({ sql: readOnly });
    await expect(handleOnce.checkStore()).rejects.toThrow(
      /accepts no writes.*connect the client to the primary/,
    );
    expect(events).toMatchObject([{ type: 'store-error', verb: 'check', error: { code: 'STORE' } }]);
  });

  it('throws a StoreError when the store gives no answer', async () => {
    const store = { ...createMemoryStore(), check: () => new Promise<void>(() => undefined) };
    const { handleOnce } = create({ store, leaseMs: 300 });
    await expect(handleOnce.checkStore()).rejects.toThrow(/no reply within 1000 ms/);
  });

  it('resolves with a store that has nothing to check', async () => {
    await create({ store: createMemoryStore() }).handleOnce.checkStore();
  });
});
