import { createHandleOnce, type DatabaseClient, TerminalError } from 'handle-once';
import { grantsSql } from 'handle-once/operations';
import postgres from 'postgres';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type SqlClient, toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { expectSoon } from '../support/until.ts';
import { ALICE, dashboardFor, get, getJson, hiddenIn, post, send, tokenOf } from './support/visit.ts';

const { sql, url } = useDatabase();
const dashboard = dashboardFor(ALICE, { sql });
const handleOnce = createHandleOnce({ sql, scope: 'billing', onEvent: () => undefined });

const ONE = 'view=message&scope=billing&key=order-1';
const MANY = 'view=retry&scope=billing&error=TerminalError&since=1h';

interface Done {
  readonly person: string;
  readonly action: string;
  readonly done: number;
  readonly expected: number;
  readonly outcome?: string;
}

async function done(): Promise<readonly Done[]> {
  const { actions } = (await getJson(dashboard, 'view=audit')) as { actions: Done[] };
  return actions;
}

async function phaseOf(key: string): Promise<string | undefined> {
  const { record } = (await getJson(dashboard, `view=message&scope=billing&key=${key}`)) as {
    record?: { phase: string };
  };
  return record?.phase;
}

async function fail(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await handleOnce(key, {}, () => {
      throw new TerminalError('no card');
    });
  }
}

function confirmed(confirm: string): Promise<Response> {
  return send(dashboard, MANY, { action: 'retry', confirm });
}

beforeEach(async () => {
  await sql`truncate handle_once.records, handle_once.failures, handle_once.audit`;
});

describe('One record', () => {
  test('is retried, which is written down', async () => {
    await fail('order-1');
    const response = await send(dashboard, ONE, { action: 'retry' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`?${ONE}`);
    expect(await phaseOf('order-1')).toBe('waiting');
    expect(await done()).toMatchObject([
      {
        person: 'alice',
        action: 'retry',
        done: 1,
        expected: 1,
        outcome: 'finished',
        scope: 'billing',
        key: 'order-1',
      },
    ]);
  });

  test('that has failed again since its page was opened is not retried', async () => {
    await fail('order-1');
    const old = await hiddenIn(dashboard, ONE, 'retry');
    await post(dashboard, ONE, old);
    await fail('order-1');
    const response = await post(dashboard, ONE, old);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/The record has changed since: open its page again/);
    expect(await phaseOf('order-1')).toBe('failed');
    expect(await done()).toHaveLength(1);
  });

  test('that is not failed stays as it is, which is written down too', async () => {
    await handleOnce('order-1', {}, () => 1);
    await send(dashboard, ONE, { action: 'retry' });
    expect(await phaseOf('order-1')).toBe('succeeded');
    expect(await done()).toMatchObject([{ done: 0, outcome: 'unchanged: succeeded' }]);
  });

  test('is forgotten', async () => {
    await handleOnce('order-1', {}, () => 1);
    await send(dashboard, ONE, { action: 'forget' });
    expect(await phaseOf('order-1')).toBeUndefined();
    expect(await done()).toMatchObject([
      { action: 'forget', done: 1, outcome: 'finished: it was succeeded' },
    ]);
  });

  test('that has changed since its page was opened is not forgotten', async () => {
    await fail('order-1');
    const old = await hiddenIn(dashboard, ONE, 'forget');
    await send(dashboard, ONE, { action: 'retry' });
    await handleOnce('order-1', {}, () => 1);
    const response = await post(dashboard, ONE, old);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/The record has changed since: open its page again/);
    expect(await phaseOf('order-1')).toBe('succeeded');
    expect(await done()).toHaveLength(1);
  });

  test('that is running is forgotten once its key is typed', async () => {
    await handleOnce('order-1', {}, async () => {
      const refused = await send(dashboard, ONE, { action: 'forget', confirm: 'order-2' });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toMatch(/type its key to confirm/);
      expect(await phaseOf('order-1')).toBe('running');
      await send(dashboard, ONE, { action: 'forget', confirm: 'order-1' });
    });
    expect(await done()).toMatchObject([{ action: 'forget', done: 1 }]);
  });

  test('that a worker has locked is not waited for, and nothing is written down', async () => {
    await fail('order-1');
    await sql.begin(async (tx) => {
      await tx`select from handle_once.records where key = 'order-1' for update`;
      const response = await send(dashboard, ONE, { action: 'retry' });
      expect(response.status).toBe(503);
      expect(await done()).toEqual([]);
    });
    expect(await phaseOf('order-1')).toBe('failed');
  });
});

describe('Many records', () => {
  const keys = Array.from({ length: 25 }, (_, place) => `order-${place + 1}`);

  test('are retried once their number is typed, and progress is written down', async () => {
    await fail(...keys);
    expect(await getJson(dashboard, MANY)).toMatchObject({ matching: 25 });
    const response = await confirmed('25');
    expect(response.headers.get('location')).toMatch(/^\?view=action&id=\d+$/);
    await expectSoon(async () => {
      expect(await done()).toMatchObject([{ person: 'alice', done: 25, expected: 25, outcome: 'finished' }]);
    });
    for (const key of keys) expect(await phaseOf(key)).toBe('waiting');
    const { text } = await get(dashboard, (response.headers.get('location') ?? '').slice(1));
    expect(text).toMatch(/25 of 25/);
  });

  test('are retried once by a form that is sent twice', async () => {
    await fail('order-1', 'order-2');
    const form = { ...(await hiddenIn(dashboard, MANY, 'retry')), confirm: '2' };
    const sent = () => post(dashboard, MANY, form);
    const [first, second] = await Promise.all([sent(), sent()]);
    // The other is refused, or has waited too long for the first to commit.
    expect(Math.min(first.status, second.status)).toBe(303);
    expect([400, 503]).toContain(Math.max(first.status, second.status));
    await fail('order-1', 'order-2');
    const again = await sent();
    expect(again.status).toBe(400);
    expect(await again.text()).toMatch(/This form was sent before: the audit has what it did/);
    expect(await phaseOf('order-1')).toBe('failed');
    expect(await done()).toHaveLength(1);
  });

  test('whose end could not be written at once have it later', async () => {
    await fail('order-1');
    const client: DatabaseClient = toDatabaseClient<unknown>(sql as SqlClient);
    let refused = 0;
    const away: DatabaseClient = {
      ...client,
      async query(statement, parameters) {
        if (statement.includes('outcome = ') && (refused += 1) <= 2) throw new Error('the database is away');
        return await client.query(statement, parameters);
      },
    };
    await send(dashboardFor(ALICE, { sql: away }), MANY, { action: 'retry', confirm: '1' });
    await expectSoon(async () => {
      expect(await done()).toMatchObject([{ done: 1, outcome: 'finished' }]);
    });
    expect(refused).toBe(3);
  });

  test('of another number than was typed stay as they are', async () => {
    await fail('order-1', 'order-2');
    await confirmed('3');
    await expectSoon(async () => {
      expect(await done()).toMatchObject([{ done: 0, expected: 3, outcome: 'unchanged: 2 match now' }]);
    });
    expect(await phaseOf('order-1')).toBe('failed');
    expect((await confirmed('all')).status).toBe(400);
  });

  test('are retried after a count that takes longer than a page may', async () => {
    await fail('order-1');
    const client: DatabaseClient = toDatabaseClient<unknown>(sql as SqlClient);
    const slow: DatabaseClient = {
      ...client,
      async query(statement, parameters) {
        if (statement.includes('count(*)')) await client.query('select pg_sleep(9)::text as slept', []);
        return await client.query(statement, parameters);
      },
    };
    const { since = '', until = '' } = await hiddenIn(dashboard, MANY, 'retry');
    const operated = dashboardFor(ALICE, { sql: slow });
    await send(operated, MANY, { action: 'retry', since, until, confirm: '1' });
    await expectSoon(async () => {
      expect(await done()).toMatchObject([{ done: 1, outcome: 'finished' }]);
    });
  });

  test('whose process died show how far it came', async () => {
    await sql`
insert into handle_once.audit (person, action, scope, filter, expected, done, begun_at, seen_at)
values ('bob', 'retry', 'billing', ${sql.json({ scope: 'billing', error: 'TerminalError' })}::text, 10, 4, now() - interval '1 hour', now() - interval '1 hour')`;
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from handle_once.audit`;
    const { text } = await get(dashboard, `view=action&id=${id}`);
    expect(text).toMatch(/its process gave no sign for a minute: it did at least this much/);
    expect(text).toMatch(/4 of 10/);
    expect(text).toMatch(/Count the others/);
    expect(text).not.toMatch(/Stop it/);
  });

  test('are asked to stop by any process', async () => {
    await sql`insert into handle_once.audit (person, action, scope, filter, expected) values ('bob', 'retry', 'billing', '{}', 10)`;
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from handle_once.audit`;
    await send(dashboard, `view=action&id=${id}`, { action: 'stop' });
    expect(await sql`select person, action, stop from handle_once.audit order by id`).toEqual([
      { person: 'bob', action: 'retry', stop: true },
      { person: 'alice', action: 'stop', stop: false },
    ]);
  });
});

describe('A form is refused', () => {
  const retry = { action: 'retry' };

  test.each<[what: string, headers: Record<string, string>]>([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['of a browser without such a header, from another origin', { origin: 'https://evil.test' }],
    ['without an origin', {}],
    ['of a page without an origin', { origin: 'null' }],
  ])('%s', async (_, headers) => {
    await fail('order-1');
    const token = await tokenOf(dashboard, ONE);
    const response = await post(dashboard, ONE, { ...retry, token }, headers);
    expect(response.status).toBe(403);
    expect(await phaseOf('order-1')).toBe('failed');
    expect(await done()).toEqual([]);
  });

  test('without its token, or with the one of another person or secret', async () => {
    await fail('order-1');
    const others = [
      dashboardFor({ name: 'bob', rights: ['act'] }, { sql }),
      dashboardFor(ALICE, { sql, actions: { secret: 'another secret of the same length' } }),
    ];
    const tokens = ['', 'x', ...(await Promise.all(others.map((other) => tokenOf(other, ONE))))];
    for (const token of tokens) {
      expect((await post(dashboard, ONE, { ...retry, token })).status).toBe(403);
    }
    expect(await phaseOf('order-1')).toBe('failed');
  });

  test('of a visitor without the right, and where there are no actions', async () => {
    await fail('order-1');
    const token = await tokenOf(dashboard, ONE);
    const reader = dashboardFor({ name: 'alice' }, { sql });
    const readOnly = dashboardFor(ALICE, { sql, actions: undefined });
    for (const other of [reader, readOnly]) {
      expect((await post(other, ONE, { ...retry, token })).status).toBe(403);
      expect((await get(other, ONE)).text).not.toMatch(/<form[^>]*method="post"/);
    }
    expect(await phaseOf('order-1')).toBe('failed');
  });

  test('that is too large, or is none', async () => {
    await fail('order-1');
    const token = await tokenOf(dashboard, ONE);
    expect((await send(dashboard, ONE, { ...retry, more: 'x'.repeat(20_000) })).status).toBe(403);
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const body = JSON.stringify({ ...retry, token });
    const address = new Request(`http://queue.test/?${ONE}`, { method: 'POST', headers, body });
    expect((await dashboard(address)).status).toBe(403);
    const used = new Request(`http://queue.test/?${ONE}`, {
      ...{ method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } },
      body: new URLSearchParams({ ...retry, token }),
    });
    await used.text();
    expect(await (await dashboard(used)).text()).toMatch(/The form is empty/);
    expect(await (await post(dashboard, ONE, {})).text()).toMatch(/The form is empty/);
    expect((await send(dashboard, ONE, { action: 'drop' })).status).toBe(400);
    expect((await post(dashboard, ONE, { token })).status).toBe(400);
  });

  test('but not one of another instance with the same secret, sent by a browser without the header', async () => {
    await fail('order-1');
    const form = await hiddenIn(dashboardFor(ALICE, { sql }), ONE, 'retry');
    const from = { origin: 'http://queue.test', host: 'queue.test' };
    expect((await post(dashboard, ONE, form, from)).status).toBe(303);
  });
});

describe('A role with the rights to operate', () => {
  const operator = useRole(sql);

  test('can do every action', async () => {
    await sql.unsafe(grantsSql({ role: operator, for: 'operate' }));
    const client = postgres(url, { connection: { role: operator }, onnotice: () => undefined });
    onTestFinished(() => client.end({ timeout: 5 }));
    const operated = dashboardFor(ALICE, { sql: client });
    await fail('order-1', 'order-2');
    expect((await send(operated, ONE, { action: 'retry' })).status).toBe(303);
    expect((await send(operated, ONE, { action: 'forget' })).status).toBe(303);
    expect(await phaseOf('order-1')).toBeUndefined();
  });
});
