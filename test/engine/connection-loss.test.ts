import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createHandleOnce, SchemaError, StoreError } from '../../src/index.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { freePort } from '../support/services/free-port.ts';
import { usePostgresBench } from './support/bench.ts';

describe('a database connection', () => {
  const { database } = usePostgresBench();
  const empty = useEmptyDatabase();

  it('that is killed in mid handler costs nothing: the message succeeds', async () => {
    const application = 'killed-worker';
    const sql = postgres(database.url, { max: 3, connection: { application_name: application } });
    try {
      const handleOnce = createHandleOnce({ sql, scope: 'killed' });
      const outcome = await handleOnce('key', 'body', async () => {
        const killed = await database.sql`
          select pg_terminate_backend(pid) as done from pg_stat_activity
          where application_name = ${application} and datname = current_database()`;
        expect(killed.length).toBeGreaterThan(0);
        return 'done';
      });
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, result: 'done' });
      expect(await handleOnce('key', 'body', () => 'again')).toMatchObject({
        replayed: true,
        result: 'done',
      });
    } finally {
      await sql.end({ timeout: 1 });
    }
  });

  it('that gets no answer is a retriable StoreError that keeps the values out of its text', async () => {
    const port = await freePort();
    const sql = postgres(`postgres://nowhere@127.0.0.1:${port}/none`, { connect_timeout: 1 });
    let ran = false;
    const refusal = await createHandleOnce({ sql, scope: 'down' })('secret key', 'secret', () => {
      ran = true;
    }).catch((error: unknown) => error);
    await sql.end();
    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal).toMatchObject({
      retriable: true,
      message:
        `the database cannot be reached at 127.0.0.1:${port} (ECONNREFUSED): ` +
        'check that it runs, and the host and port of the client',
      cause: { code: 'ECONNREFUSED' },
    });
    expect(ran).toBe(false);
  });

  it('to a database without the tables is a SchemaError that says what to run', async () => {
    const handleOnce = createHandleOnce({ sql: empty.sql, scope: 'empty' });
    const refusal = await handleOnce('key', 'body', () => 1).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SchemaError);
    expect(String(refusal)).toContain('run migrate(sql)');
    expect(handleOnce.counts()).toEqual({ 'store-error': 1 });
  });
});
