import { migrate } from 'handle-once';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { packagedPostgres } from '../support/services/packaged-postgres.ts';
import { type PostgresProcess, startPostgresProcess } from '../support/services/postgres-process.ts';
import { findingOf } from './support/findings.ts';

const MANY = 100_000;

/** Each transaction that asks for its id uses up one. */
async function useUpTransactions(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    do $$ begin
      for n in 1..${MANY} loop
        perform pg_current_xact_id();
        commit;
      end loop;
    end $$`);
}

describe('horizon', () => {
  const { sql, url } = useDatabase();
  const role = useRole(sql);
  const asRole = useClient(url, { connection: { role } });
  const reader = useClient(url, { max: 1, connection: { application_name: 'nightly report' } });

  test('finds a transaction that was left open, by its process and application', async () => {
    await sql.unsafe(`grant usage on schema handle_once to ${role}`);
    await reader`begin isolation level repeatable read`;
    onTestFinished(() => reader`rollback`.then(() => undefined));
    const [row] = await reader<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = row?.pid ?? 0;
    expect(await findingOf('horizon', { sql })).toMatchObject({
      level: 'ok',
      found: expect.stringMatching(
        /^the oldest open transaction or slot is [\d,]+ transactions old$/,
      ) as string,
    });
    await useUpTransactions(sql);
    const ofReader = new RegExp(
      `: process ${pid} \\(application 'nightly report', idle in transaction\\), 1\\d\\d,\\d{3} transactions and \\d+ \\w+ old`,
    );
    expect(await findingOf('horizon', { sql })).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(ofReader) as string,
      fix: expect.stringContaining('pg_terminate_backend') as string,
    });
    const toAnother = new RegExp(
      `: process ${pid} \\(application 'nightly report'\\), 1\\d\\d,\\d{3} transactions and an unknown time old`,
    );
    expect(await findingOf('horizon', { sql: asRole })).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(toAnother) as string,
    });
  });
});

const installation = packagedPostgres();

describe.skipIf(installation === undefined)('horizon, on a server with a standby', () => {
  let server: PostgresProcess;
  let standby: PostgresProcess;
  let sql: postgres.Sql;
  let onStandby: postgres.Sql;

  beforeAll(async () => {
    server = await startPostgresProcess(installation ?? '', { settings: { max_prepared_transactions: '5' } });
    await server.shutDown();
    const settings = {
      max_prepared_transactions: '5',
      primary_conninfo: `host=127.0.0.1 port=${new URL(server.url).port} user=postgres application_name=copy`,
      hot_standby_feedback: 'on',
      wal_receiver_status_interval: '1',
    };
    standby = await startPostgresProcess(installation ?? '', { settings, standbyOf: server.data });
    await server.restart();
    sql = postgres(server.url, { onnotice: () => undefined });
    onStandby = postgres(standby.url, { max: 1 });
    await migrate(sql);
  });

  afterAll(async () => {
    await onStandby.end({ timeout: 5 });
    await sql.end({ timeout: 5 });
    await standby.stop();
    await server.stop();
  });

  const foundNow = async (): Promise<string> => (await findingOf('horizon', { sql })).found;

  test('finds the standby whose snapshot is held by a query there, and a prepared transaction', async () => {
    await expect.poll(() => sql`select from pg_stat_replication where state = 'streaming'`).toHaveLength(1);
    await onStandby`begin isolation level repeatable read`;
    await onStandby`select count(*) from pg_class`;
    await expect
      .poll(() => sql`select from pg_stat_replication where backend_xmin is not null`)
      .toHaveLength(1);
    await sql.begin(async (transaction) => {
      await transaction`select pg_current_xact_id()`;
      await transaction`prepare transaction 'forgotten'`;
    });
    await useUpTransactions(sql);
    await expect.poll(foundNow).toMatch(/process \d+ \(a standby, application 'copy', active\), \d{3},\d{3}/);
    expect(await foundNow()).toMatch(/the prepared transaction 'forgotten', \d{3},\d{3} transactions and \d/);
    await sql`rollback prepared 'forgotten'`;
    await onStandby`rollback`;
    expect(await foundNow()).not.toContain('forgotten');
  });

  test('finds a slot that keeps what its standby has asked for', async () => {
    await sql`select pg_create_physical_replication_slot('left_behind')`;
    const slot = { primary_slot_name: 'left_behind', hot_standby_feedback: 'on' };
    const conninfo = `host=127.0.0.1 port=${new URL(server.url).port} user=postgres`;
    await onStandby.end({ timeout: 5 });
    await standby.shutDown();
    await standby.restart({
      ...slot,
      max_prepared_transactions: '5',
      wal_receiver_status_interval: '1',
      primary_conninfo: conninfo,
    });
    await expect
      .poll(() => sql`select from pg_replication_slots where active and xmin is not null`)
      .toHaveLength(1);
    await standby.shutDown();
    await useUpTransactions(sql);
    await expect.poll(foundNow).toMatch(/the replication slot left_behind \(not active\), \d{3},\d{3} tr/);
  });
});
