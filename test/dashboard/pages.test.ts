import type { DatabaseClient } from 'handle-once';
import { grantsSql } from 'handle-once/operations';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type SqlClient, toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { BROKEN, FAILED, fillScene, SCOPE, STEPPED, TIMED_OUT, TWICE } from './support/scene.ts';
import { ALICE, dashboardFor, get, getJson } from './support/visit.ts';

const { sql, url } = useDatabase();
const dashboard = dashboardFor(ALICE, { sql });

beforeAll(() => fillScene(sql));

describe('The overview', () => {
  test('has the records by scope, the events, the workers and the sizes', async () => {
    expect(await getJson(dashboard, 'view=overview')).toMatchObject({
      countedAt: expect.any(String) as string,
      census: expect.arrayContaining([
        expect.objectContaining({ scope: 'invoices', state: 'failed', records: BROKEN }),
        expect.objectContaining({ scope: SCOPE, state: 'pending', records: 4, abandoned: 1 }),
      ]) as unknown,
      lastDay: { takeovers: expect.arrayContaining([2]) as unknown },
      workers: expect.arrayContaining([expect.objectContaining({ host: 'worker-2', pid: 4242 })]) as unknown,
      tables: expect.arrayContaining([expect.objectContaining({ name: 'records' })]) as unknown,
    });
    const { text } = await get(dashboard);
    expect(text).toMatch(/doctor finds/);
    expect(text).toMatch(/aria-label="takeovers: [\d,]+, most 2 at \d\d:\d\d"/);
    expect(text).toMatch(
      /Messages: at least 16 failed permanently in the last hour, 16 of them are failed now/,
    );
  });

  test('a message that failed again after a retry is one that is failed now', async () => {
    await sql`
      insert into handle_once.failures (ended_at, attempt, scope, key, ending, error)
      select ended_at, 2, scope, key, ending, error from handle_once.failures where key = ${FAILED}`;
    try {
      const { text } = await get(dashboard);
      expect(text).toMatch(/at least 16 failed permanently in the last hour, 16 of them are failed now/);
      const { groups } = (await getJson(dashboard, 'view=failures')) as { groups: { scope: string }[] };
      expect(groups).toContainEqual(
        expect.objectContaining({ scope: SCOPE, ending: 'failed', atLeast: 2, failedNow: 1 }),
      );
    } finally {
      await sql`delete from handle_once.failures where key = ${FAILED} and attempt = 2`;
    }
  });

  test('a message that failed by another error since is failed now by that one alone', async () => {
    await sql`
      insert into handle_once.failures (ended_at, attempt, scope, key, ending, error)
      values (now(), 2, ${SCOPE}, ${FAILED}, 'failed', '{"name":"OldError","message":"of before"}')`;
    try {
      const { groups } = (await getJson(dashboard, 'view=failures')) as { groups: { scope: string }[] };
      const ofScope = groups.filter((group) => group.scope === SCOPE);
      expect(ofScope).toContainEqual(expect.objectContaining({ error: 'OldError', failedNow: 0 }));
      expect(ofScope).toContainEqual(expect.objectContaining({ error: 'TerminalError', failedNow: 1 }));
    } finally {
      await sql`delete from handle_once.failures where key = ${FAILED} and attempt = 2`;
    }
  });
});

describe('Messages', () => {
  const keysOf = (data: unknown): string[] => {
    const { found } = data as { found: { records?: { key: string }[]; lines?: { key: string }[] } };
    return (found.records ?? found.lines ?? []).map(({ key }) => key);
  };

  test('are found by the beginning of their key, in all scopes or in one', async () => {
    expect(keysOf(await getJson(dashboard, 'view=messages&key=order-100'))).toEqual([
      TWICE,
      FAILED,
      STEPPED,
      'order-1004',
      'order-1005',
    ]);
    expect(keysOf(await getJson(dashboard, `view=messages&key=invoice-&scope=invoices`))).toHaveLength(
      BROKEN,
    );
    expect(keysOf(await getJson(dashboard, `view=messages&key=invoice-&scope=${SCOPE}`))).toEqual([]);
  });

  test('go on behind the last one of a page, each once', async () => {
    for (const query of ['view=messages&key=o', 'view=messages&since=30d', 'view=messages&by=place']) {
      const keys: string[] = [];
      let after: string | undefined = '';
      while (after !== undefined) {
        const data = await getJson(dashboard, `${query}&after=${encodeURIComponent(after)}`);
        keys.push(...keysOf(data));
        after = (data as { found: { next?: string } }).found.next;
      }
      expect(new Set(keys).size, query).toBe(keys.length);
      expect(
        keys.filter((key) => key.startsWith('order-')),
        query,
      ).toHaveLength(46);
    }
  });

  test('are the newest first, and look back as far as they are asked to', async () => {
    const day = keysOf(await getJson(dashboard, 'view=messages'));
    expect(day[0]).toBe(STEPPED);
    expect(day).not.toContain('order-1005');
    // A page of a busy machine can end before it has looked at all of them.
    const lapsed = async () => keysOf(await getJson(dashboard, 'view=messages&since=30d&phase=lapsed'));
    await expect.poll(lapsed).toEqual(['order-1004']);
    const [oldest] = keysOf(await getJson(dashboard, 'view=messages&since=30d&order=oldest'));
    expect(oldest).toBe('order-1005');
  });

  test('that failed come from the failures, and are found in the records too', async () => {
    const failures = await getJson(dashboard, 'view=messages&phase=failed');
    expect(failures).toMatchObject({ by: 'failures', found: { lines: expect.any(Array) as unknown } });
    const records = await getJson(dashboard, 'view=messages&phase=failed&by=time');
    expect(keysOf(failures).toSorted()).toEqual(keysOf(records).toSorted());
    expect(keysOf(await getJson(dashboard, `view=messages&phase=failed&scope=${SCOPE}`))).toEqual([FAILED]);
    const inNoOrder = keysOf(await getJson(dashboard, 'view=messages&by=place&error=GatewayError'));
    expect(inNoOrder.toSorted()).toEqual([STEPPED, 'order-41']);
  });
});

describe('One message', () => {
  test('has each attempt that ended badly, with its process and the case of the second run', async () => {
    const { text } = await get(dashboard, `view=message&scope=${SCOPE}&key=${TWICE}`);
    expect(text).toMatch(/worker-2, process 4242/);
    expect(text).toMatch(/guarantees\.md#the-cases">Case 1 or 2: its lease ended/);
    expect(text).toMatch(/Case 4: a retry/);
    expect(text).toMatch(
      /aria-label="attempt 1: died; attempt 2: released after 1200 ms; attempt 3: succeeded"/,
    );
  });

  test('says what it waits for, and what to do next', async () => {
    const failed = await get(dashboard, `view=message&scope=${SCOPE}&key=${FAILED}`);
    expect(failed.text).toMatch(/Failed permanently \(terminal\)/);
    expect(failed.text).toContain(`--scope &#39;${SCOPE}&#39; --key &#39;${FAILED}&#39;`);
    const lapsed = await get(dashboard, `view=message&scope=${SCOPE}&key=order-1004`);
    expect(lapsed.text).toMatch(/Its worker has given no sign: its lease ended 3 min ago/);
  });

  test('says that an attempt has no line, also next to the lines of an earlier record', async () => {
    const look = async () => (await get(dashboard, `view=message&scope=${SCOPE}&key=order-1005`)).text;
    const says = /1 attempt that did not succeed has no line: /;
    const empty = await look();
    expect(empty).toMatch(says);
    expect(empty).not.toMatch(/No attempt ended badly/);
    await sql`
      insert into handle_once.failures (ended_at, attempt, scope, key, ending)
      values (now() - interval '40 days', 1, ${SCOPE}, 'order-1005', 'released')`;
    expect(await look()).toMatch(says);
    await sql`delete from handle_once.failures where key = 'order-1005'`;
  });

  test('that timed out says so, whatever its handler threw', async () => {
    const { text } = await get(dashboard, `view=message&scope=${SCOPE}&key=${TIMED_OUT}`);
    expect(text).toMatch(/Case 6: it timed out/);
    expect(text).toMatch(/AbortError: aborted, caused by TimeoutError: the attempt took longer than 400 ms/);
  });

  test('has its steps', async () => {
    const { text } = await get(dashboard, `view=message&scope=${SCOPE}&key=${STEPPED}`);
    expect(text).toMatch(/summary.*charge/s);
  });

  test('shows its result on request, and only to a visitor with the right', async () => {
    const query = `view=message&scope=${SCOPE}&key=order-2`;
    expect((await get(dashboard, query)).text).not.toMatch(/paid/);
    expect((await get(dashboard, `${query}&result=1`)).text).toMatch(/\{&quot;paid&quot;:2\}/);
    const reader = dashboardFor({ name: 'bob', rights: ['act'] }, { sql });
    expect((await get(reader, `${query}&result=1`)).text).toMatch(/you have no right to see results/);
    expect(await getJson(reader, `${query}&result=1`)).not.toHaveProperty('result');
  });

  test('that has no record says so', async () => {
    const { text } = await get(dashboard, `view=message&scope=${SCOPE}&key=unknown`);
    expect(text).toMatch(/There is no record/);
  });
});

describe('Failures', () => {
  test('are grouped by scope, ending and error, the most frequent first', async () => {
    const data = await getJson(dashboard, 'view=failures');
    const { groups } = data as { groups: unknown[] };
    expect(groups[0]).toMatchObject({
      scope: 'invoices',
      ending: 'failed',
      error: 'TerminalError',
      atLeast: BROKEN,
    });
    expect(groups).toContainEqual(
      expect.objectContaining({ scope: SCOPE, ending: 'died', atLeast: 1, example: { key: TWICE } }),
    );
  });

  test('of one name are told apart by their code', async () => {
    const { groups } = (await getJson(dashboard, 'view=failures&scope=carrier')) as { groups: unknown[] };
    expect(groups).toMatchObject([
      { error: 'Error', code: 'ECONNREFUSED', atLeast: 2, failedNow: 2 },
      { error: 'Error', atLeast: 1, failedNow: 1 },
    ]);
    expect(await getJson(dashboard, 'view=failures&error=ECONNREFUSED')).toMatchObject({
      groups: [{ atLeast: 2 }],
    });
    expect(await getJson(dashboard, 'view=retry&scope=carrier&error=ECONNREFUSED')).toMatchObject({
      matching: 2,
    });
  });

  test('that were not written down are counted, and the records are counted on request', async () => {
    const { text } = await get(dashboard, 'view=failures');
    expect(text).toMatch(/At least 7 failures were not recorded in this time/);
    expect(await getJson(dashboard, 'view=failures&count=records&scope=invoices')).toMatchObject({
      counts: [{ scope: 'invoices', error: 'TerminalError', records: BROKEN }],
    });
  });

  test('have the command for a visitor who may not retry them', async () => {
    const { text } = await get(dashboardFor({ name: 'bob' }, { sql }), 'view=failures&scope=carrier');
    expect(text).toContain('npx handle-once retry --scope &#39;carrier&#39; --error &#39;ECONNREFUSED&#39;');
    expect(text).not.toMatch(/Retry them all/);
  });

  test('are filtered by the address, and go on behind the last one', async () => {
    const data = await getJson(
      dashboard,
      'view=failures&scope=invoices&ending=failed&error=TerminalError&since=1h',
    );
    expect(data).toMatchObject({ groups: [{ atLeast: BROKEN }] });
    const { lines } = (data as { page: { lines: { key: string }[] } }).page;
    expect(lines).toHaveLength(BROKEN);
    expect(await getJson(dashboard, 'view=failures&scope=nothing')).toMatchObject({
      groups: [],
      page: { lines: [] },
    });
  });
});

test('the health is what doctor finds in the database, without what it finds of this client', async () => {
  const { findings } = (await getJson(dashboard, 'view=health')) as { findings: { check: string }[] };
  const checks = findings.map(({ check }) => check);
  expect(checks).toEqual(expect.arrayContaining(['clock', 'tables', 'maintenance']));
  expect(checks).not.toContain('rights');
});

describe('With the rights to read alone', () => {
  const reader = useRole(sql);

  test('every page is shown', async () => {
    await sql.unsafe(grantsSql({ role: reader, for: 'read' }));
    const client = postgres(url, { connection: { role: reader }, onnotice: () => undefined });
    onTestFinished(() => client.end({ timeout: 5 }));
    const read = dashboardFor(ALICE, { sql: client });
    const views = [
      'overview',
      'messages',
      'messages&by=place',
      'messages&key=order',
      'failures',
      'health',
      'audit',
    ];
    for (const view of [
      ...views,
      'retry&scope=invoices&error=TerminalError',
      `message&scope=${SCOPE}&key=${TWICE}`,
    ]) {
      const { response, text } = await get(read, `view=${view}`);
      expect(response.status, text).toBe(200);
    }
    await expect(client`delete from handle_once.records`).rejects.toThrow(/permission denied/);
  });
});

describe('A page that cannot be', () => {
  test.each([
    ['view=nothing', 'View must be one of overview, messages'],
    ['view=messages&since=soon', 'Since must be a number of minutes, hours or days'],
    ['view=messages&phase=lost', 'Phase must be one of running, lapsed'],
    ['view=message&scope=billing', 'Scope and key of a message are needed'],
    ['view=messages&scope=%00', 'Scope'],
    ['view=messages&key=%00', 'The address has a character'],
    ['view=messages&by=place&after=(0,99999)', 'A number in the address is not valid'],
    ['view=action&id=x', 'Id must be the id of an action'],
  ])('%s', async (query, says) => {
    const { response, text } = await get(dashboard, query);
    expect(response.status).toBe(400);
    expect(text).toContain(says);
    expect(await getJson(dashboard, query)).toMatchObject({ error: expect.stringContaining(says) as string });
  });

  test('a table that is locked is not waited for', async () => {
    await sql.begin(async (tx) => {
      await tx`lock table handle_once.failures in access exclusive mode`;
      const { response, text } = await get(dashboard, 'view=failures');
      expect(response.status).toBe(503);
      expect(text).toMatch(/lock/i);
    });
  });

  test('tables that are missing are named', async () => {
    const nowhere = dashboardFor(ALICE, { sql, databaseSchema: 'nowhere' });
    const { response, text } = await get(nowhere);
    expect(response.status).toBe(503);
    expect(text).toMatch(/tables of handle-once are missing.*npx handle-once migrate/);
  });
});

describe('A database that is slow', () => {
  /** Statements that match take half a minute, from the second one on. */
  function slowed(statements: RegExp): DatabaseClient {
    const client: DatabaseClient = toDatabaseClient<unknown>(sql as SqlClient);
    let asked = 0;
    return {
      ...client,
      in(transaction) {
        const queries = client.in(transaction);
        return {
          execute: (statement) => queries.execute(statement),
          query(statement, parameters) {
            if (statements.test(statement)) asked += 1;
            const isSlow = statements.test(statement) && asked > 1;
            return isSlow
              ? queries.query('select pg_sleep(30)::text as slept', [])
              : queries.query(statement, parameters);
          },
        };
      },
    };
  }

  test('answers a part of the newest records, and says how far it looked', async () => {
    const slow = dashboardFor(ALICE, { sql: slowed(/created_us/) });
    expect(await getJson(slow, 'view=messages&since=7d&phase=lapsed')).toMatchObject({
      found: { lookedUntil: expect.any(String) as string },
    });
    const { response, text } = await get(
      dashboardFor(ALICE, { sql: slowed(/created_us/) }),
      'view=messages&since=7d&phase=lapsed',
    );
    expect(response.status).toBe(200);
    expect(text).toMatch(/This took too long: it searched back to/);
  });

  test('is given up by the server, and the page says what to ask for', async () => {
    const slow = dashboardFor(ALICE, { sql: slowed(/failures/) });
    const { response, text } = await get(slow, 'view=failures');
    expect(response.status).toBe(503);
    expect(text).toMatch(/The database took too long\. Ask for less/);
    const left =
      await sql`select from pg_stat_activity where query like '%pg_sleep(30)%' and state = 'active' and pid <> pg_backend_pid()`;
    expect(left).toHaveLength(0);
  });
});

test('a damaged row spoils no page, and moves no text', async () => {
  const insert = (key: string, columns: Readonly<Record<string, unknown>>) =>
    sql`insert into handle_once.records ${sql({
      ...{ live_until: '2999-01-01', created_at: new Date(), token: '0badc0de-0000-4000-8000-000000000009' },
      ...{ attempts: 1, owned: false, state: 'failed', scope: 'damaged', key, fingerprint: Buffer.alloc(0) },
      ...columns,
    })}`;
  await insert('no-name', { error: '{"message":""}' });
  await insert('odd-name', { error: '{"name":["\u202e"],"message":{"toString":1}}' });
  await insert('odd-state', { state: '__proto__' });
  await insert('turned', { state: '\u202e', failed_reason: '\u202e', result_omitted: '\u202e' });
  await insert('odd-steps', { steps: '{"a":1}' });
  await insert('late', {});
  await sql`update handle_once.records set live_until = '294000-01-01', began_at = '294000-01-01' where key = 'late'`;
  const pages = [
    'messages&since=7d',
    'messages&by=place',
    'messages&key=o',
    'messages&scope=damaged&key=late',
  ];
  const keys = ['no-name', 'odd-name', 'odd-state', 'turned', 'odd-steps', 'late'];
  for (const view of [...pages, ...keys.map((key) => `message&scope=damaged&key=${key}`)]) {
    const { response, text } = await get(dashboard, `view=${view}`);
    expect(response.status, `${view}: ${text}`).toBe(200);
    expect(text.replaceAll(/<input type="hidden"[^>]*>/g, ''), view).not.toContain('\u202e');
  }
  await sql`delete from handle_once.records where scope = 'damaged'`;
});

test('many scopes are cut, and cost no more than their number', async () => {
  await sql`
    insert into handle_once.census (scope, state, records, abandoned, oldest_at, taken_at)
    select 'tenant-' || n, s.state, 1, 0, now(), now()
    from generate_series(1, 20000) as n cross join (values ('pending'), ('succeeded'), ('failed')) as s(state)`;
  const { text } = await get(dashboard);
  expect(text).toMatch(/Records of the first 200 of 20,00\d scopes/);
  expect(text.length).toBeLessThan(300_000);
  await sql`delete from handle_once.census where scope like 'tenant-%'`;
});
