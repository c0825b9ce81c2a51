import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHandleOnce, TerminalError } from '../../src/index.ts';
import {
  countRecords,
  explainRecord,
  findRecords,
  forgetRecord,
  listRecords,
  maintain,
  readStatus,
  readStats,
  retryRecord,
  showRecord,
} from '../../adapters/operations/index.ts';
import { actorOn, ALICE, LEASE } from '../../testing/contracts/store/actor.ts';
import { succeeded } from '../../testing/contracts/store/settlements.ts';
import { statementsOf } from '../../src/store/postgres/statements/index.ts';
import { citusUrl, makeCitusTables, sqlOfScaling } from '../support/citus.ts';
import { expectSoon } from '../support/until.ts';
import { storeContract } from './contract.ts';
import { controlledPostgresStore } from './postgres/controlled-store.ts';

if (citusUrl === undefined) test.skip('On Citus: TEST_CITUS_URL names no node', () => undefined);
else describe('On Citus', onCitus);

function onCitus(): void {
  const sql = postgres(citusUrl ?? '', { onnotice: () => undefined });

  beforeAll(() => makeCitusTables(sql));
  afterAll(() => sql.end({ timeout: 5 }));

  storeContract('The Postgres store', () => controlledPostgresStore(sql));

  test.each(['an absent', 'a lapsed'])('of many that claim %s key at one moment one owns it', async (of) => {
    const actor = actorOn(controlledPostgresStore(sql));
    if (of === 'a lapsed') {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
    }
    const tokens = Array.from({ length: 20 }, () => randomUUID());
    const replies = await Promise.all(tokens.map((token) => actor.claim('key', token)));
    expect(replies.map(({ kind }) => kind).toSorted()).toEqual([
      'claimed',
      ...tokens.slice(1).map(() => 'in-flight'),
    ]);
    const owner = tokens[replies.findIndex(({ kind }) => kind === 'claimed')] ?? '';
    expect(await actor.settle('key', owner, succeeded())).toBe('settled');
  });

  test('a message is on record with the transaction of its handler', async () => {
    const handleOnce = createHandleOnce({ sql, scope: randomUUID() });
    const inside = await handleOnce.inTransaction('inside', 'body', (_, __, tx) => tx`select 1`);
    expect(inside).toMatchObject({ state: 'succeeded' });
  });

  test('no message is on record with a transaction whose shard is on another connection', async () => {
    const connection = { 'citus.enable_local_execution': 'off' } as Record<string, string>;
    const remote = postgres(citusUrl ?? '', { onnotice: () => undefined, connection });
    onTestFinished(() => remote.end());
    const handleOnce = createHandleOnce({ sql: remote, scope: randomUUID() });
    const inside = handleOnce.inTransaction('inside', 'body', (_, __, tx) => tx`select pg_sleep(0.05)`);
    expect(await inside).toMatchObject({ state: 'pending', reason: 'released' });
  });

  describe('operations of a record', () => {
    const scope = randomUUID();

    beforeAll(async () => {
      const handleOnce = createHandleOnce({ sql, scope });
      await handleOnce('failed', {}, () => Promise.reject(new TerminalError('no')));
      await handleOnce('succeeded', {}, () => 'done');
    });

    test('show and list it', async () => {
      expect(await showRecord({ sql, scope, key: 'succeeded' })).toMatchObject({ phase: 'succeeded' });
      const { records } = await listRecords({ sql, scope, state: 'failed' });
      expect(records).toMatchObject([{ key: 'failed' }]);
      const page = await listRecords({ sql, order: 'oldest', limit: 1 });
      expect(page).toMatchObject({ records: [{}], next: expect.any(String) as string });
      expect((await listRecords({ sql, limit: 1, after: page.next })).records.length).toBeLessThan(2);
      expect(await countRecords({ sql, scope, state: 'failed' })).toMatchObject([{ records: 1 }]);
    });

    test('do not find its key in all scopes', async () => {
      await expect(findRecords({ sql, key: 'failed' })).rejects.toThrow('0A000');
    });

    test('explain it, with the lines about its attempts', async () => {
      await expectSoon(async () => {
        const { attempts } = await explainRecord({ sql, scope, key: 'failed' });
        expect(attempts).toMatchObject([{ ending: 'failed', error: { message: 'no' } }]);
      });
    });

    test('retry it, and forget it with its lines', async () => {
      expect(await retryRecord({ sql, scope, key: 'failed' })).toEqual({ state: 'retried' });
      expect(await forgetRecord({ sql, scope, key: 'failed' })).toMatchObject({ state: 'forgotten' });
      expect(await sql`select from handle_once.failures where scope = ${scope}`).toHaveLength(0);
    });

    test('read what is counted', async () => {
      expect(await readStatus({ sql })).toEqual([]);
      expect(await readStats({ sql, scope })).toEqual([]);
    });
  });

  test('a record commits with the writes of its handler', async () => {
    const scope = randomUUID();
    const handleOnce = createHandleOnce({ sql, scope, backoff: () => 0 });
    const write = (tx: postgres.TransactionSql) => tx`
      insert into handle_once.stats (minute, count, scope, event) values (now(), 1, ${scope}, 'written')`;
    const written = () => sql`select from handle_once.stats where scope = ${scope}`;
    await handleOnce.inTransaction('key', {}, async (_, __, tx) => {
      await write(tx);
      throw new Error('no');
    });
    expect(await written()).toHaveLength(0);
    const outcome = await handleOnce.inTransaction('key', {}, async (_, __, tx) => {
      await write(tx);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await written()).toHaveLength(1);
    await sql`delete from handle_once.stats where scope = ${scope}`;
  });

  test('a statement goes to the one shard of its scope', async () => {
    const { settle, extend } = statementsOf('handle_once');
    const none = (statement: string) => new Set(statement.match(/\$\d+/g)).size - 1;
    for (const [name, statement] of Object.entries({ settle: settle.many, extend: extend.many })) {
      await sql.begin(async (tx) => {
        await tx.unsafe(`prepare "${name}" as ${statement}`);
        const nulls = Array.from({ length: none(statement) }, () => 'null').join(', ');
        const rows = await tx.unsafe(`explain (costs off) execute "${name}"('scope', ${nulls})`);
        const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
        expect(plan).toMatch(/^ {2}Task Count: 1$/m);
        await tx.unsafe(`deallocate "${name}"`);
      });
    }
  });

  test('maintenance is refused, and expired records are deleted by what docs/scaling.md runs in its place', async () => {
    await expect(maintain({ sql })).rejects.toMatchObject({ code: 'STORE', retriable: false });
    const scope = randomUUID();
    const handleOnce = createHandleOnce({ sql, scope });
    await handleOnce('expired', {}, () => 'done');
    await handleOnce('alive', {}, () => 'done');
    await sql`update handle_once.records set live_until = now() where scope = ${scope} and key = 'expired'`;
    const [, purge = ''] = sqlOfScaling('Citus');
    const shards = await sql.unsafe(purge);
    expect(shards.flat().filter(({ success }) => success !== true)).toEqual([]);
    expect(await sql`select key from handle_once.records where scope = ${scope}`).toEqual([{ key: 'alive' }]);
  });
}
