import { createHandleOnce, type HandleOnceOptions, RetryableError, TerminalError } from 'handle-once';
import { showRecord } from 'handle-once/operations';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { isDoneUnder } from '../../examples/old-key-first.ts';
import { type Difference, withShadow } from '../../examples/shadow-mode.ts';
import { fingerprint } from '../../src/payload/fingerprint.ts';
import { textOf } from '../docs/documents.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';

const { sql } = useDatabase();

/** The statements of docs/moving-over.md, in their order. */
const [IMPORT = '', COUNT = ''] = Array.from(
  textOf('docs/moving-over.md').matchAll(/^```sql\n(.*?)^```/gms),
  ([, statement = '']) => statement,
);

beforeEach(async () => {
  await sql`delete from handle_once.records`;
  await sql`drop table if exists processed_messages`;
  await sql`create table processed_messages (message_id text primary key, processed_at timestamptz not null)`;
});

async function processed(key: string, daysAgo = 1): Promise<void> {
  // Not prepared: the key has another type in some of the tests.
  const insert = "insert into processed_messages values ($1, now() - $2::float8 * interval '1 day')";
  await sql.unsafe(insert, [key, daysAgo]);
}

function newHandleOnce(options: Partial<HandleOnceOptions> = {}) {
  return createHandleOnce({ sql, scope: 'billing', backoff: () => 0, onEvent: () => undefined, ...options });
}

const fingerprintsOf = async () =>
  await sql`select key, encode(fingerprint, 'hex') as fingerprint from handle_once.records order by key`;

describe('The import of a dedupe table', () => {
  test('makes records that answer deliveries, whatever their payload, and run nothing', async () => {
    await processed('order-1');
    await sql.unsafe(IMPORT);
    const handleOnce = newHandleOnce();
    const handler = vi.fn();
    for (const payload of [{ cents: 1 }, { cents: 2 }]) {
      expect(await handleOnce('order-1', payload, handler)).toEqual({
        ...{ state: 'succeeded', replayed: true, attempts: 1 },
        ...{ result: undefined, resultOmitted: 'not-stored' },
      });
    }
    expect(handler).not.toHaveBeenCalled();
    expect(await handleOnce.lookup('order-1')).toMatchObject({ state: 'succeeded' });
    expect(await showRecord({ sql, scope: 'billing', key: 'order-1' })).toMatchObject({
      ...{ phase: 'succeeded', attempts: 1, failures: 0, deaths: 0, resultOmitted: 'not-stored' },
    });
  });

  test('has the fingerprint of nothing, as fingerprint: false has it, which no delivery fills in', async () => {
    await processed('imported');
    await sql.unsafe(IMPORT);
    await newHandleOnce()('imported', 1, vi.fn());
    await newHandleOnce({ fingerprint: false })('off', 1, () => 1);
    await newHandleOnce()('on', 1, () => 1);
    expect(await fingerprintsOf()).toEqual([
      { key: 'imported', fingerprint: '' },
      { key: 'off', fingerprint: '' },
      { key: 'on', fingerprint: fingerprint(1) },
    ]);
    await expect(newHandleOnce()('on', 2, vi.fn())).rejects.toMatchObject({ code: 'PAYLOAD_MISMATCH' });
  });

  test('is known by no payload: each has a fingerprint that is not empty', () => {
    for (const payload of ['', Buffer.alloc(0), null, undefined, {}, [], 0, false]) {
      expect(fingerprint(payload)).toMatch(/^01[0-9a-f]{64}$/);
    }
  });

  test('stays so through failures and takeovers of a message that is opened again', async () => {
    await processed('order-1');
    await sql.unsafe(IMPORT);
    await sql`update handle_once.records set state = 'pending', live_until = now()`;
    const handleOnce = newHandleOnce();
    await handleOnce('order-1', 1, () => Promise.reject(new Error('again')));
    const outcome = await handleOnce('order-1', 2, async () => {
      await sql`update handle_once.records set live_until = now()`;
      return await handleOnce('order-1', 3, () => 'taken over');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await handleOnce('order-1', 4, vi.fn())).toMatchObject({ replayed: true, result: 'taken over' });
    expect(await fingerprintsOf()).toEqual([{ key: 'order-1', fingerprint: '' }]);
  });

  test('leaves out what is older than records are kept, and expires as records do', async () => {
    await processed('old', 8);
    await processed('young', 6);
    await sql.unsafe(IMPORT);
    const rows = await sql`
      select key, round(extract(epoch from live_until - now()) / 86400)::integer as days
      from handle_once.records`;
    expect(rows).toEqual([{ key: 'young', days: 7 }]);
  });

  test('changes no record that is there, and can be run again', async () => {
    await newHandleOnce()('order-1', 1, () => 'by handle-once');
    await processed('order-1');
    await processed('order-2');
    for (const inserted of [1, 0]) expect((await sql.unsafe(IMPORT)).count).toBe(inserted);
    expect(await newHandleOnce()('order-1', 1, vi.fn())).toMatchObject({ result: 'by handle-once' });
  });

  test('is counted by the statement beside it', async () => {
    await processed('order-1');
    await processed('order-2');
    await sql.unsafe(IMPORT);
    await processed('order-3');
    expect(await sql.unsafe(COUNT)).toMatchObject([{ missing: '1' }]);
  });
});

describe('The import of a dedupe table, beside records of handle-once,', () => {
  const counts = async () => await sql.unsafe(COUNT);
  const NONE = [{ missing: '0', in_flight: '0', failed: '0' }];

  /** What a delivery of the key finds, and whether it runs. */
  async function redelivered(key: string) {
    const handler = vi.fn();
    const { state } = await newHandleOnce()(key, 1, handler);
    return { state, runs: handler.mock.calls.length };
  }

  async function failed(key: string, error: Error) {
    await newHandleOnce()(key, 1, () => Promise.reject(error));
  }

  async function died(key: string) {
    await newHandleOnce()(key, 1, async () => {
      await sql`update handle_once.records set live_until = now() where key = ${key}`;
      await sql`update handle_once.records set token = gen_random_uuid() where key = ${key}`;
    });
  }

  async function expired(key: string) {
    await newHandleOnce()(key, 1, () => 1);
    await sql`update handle_once.records set live_until = now() where key = ${key}`;
  }

  test.each<[string, string, (key: string) => Promise<void>]>([
    ['a released one that is due', '0', async (key) => failed(key, new Error('again'))],
    [
      'a released one that waits',
      '0',
      async (key) => failed(key, new RetryableError('x', { retryAfterMs: 60_000 })),
    ],
    ['one that failed permanently', '1', async (key) => failed(key, new TerminalError('never'))],
    ['one whose worker died', '0', died],
    ['one that has expired', '0', expired],
  ])('counts as missing, and makes succeeded, %s', async (_, failures, happens) => {
    await happens('order-1');
    await processed('order-1');
    expect(await counts()).toEqual([{ missing: '1', in_flight: '0', failed: failures }]);
    await sql.unsafe(IMPORT);
    expect(await counts()).toEqual(NONE);
    expect(await redelivered('order-1')).toEqual({ state: 'succeeded', runs: 0 });
    expect(await showRecord({ sql, scope: 'billing', key: 'order-1' })).toMatchObject({
      ...{ phase: 'succeeded', attempts: 1, failures: 0, deaths: 0, resultOmitted: 'not-stored' },
    });
    expect((await sql.unsafe(IMPORT)).count).toBe(0);
  });

  test('leaves a message that a worker still handles, and says so', async () => {
    await processed('order-1');
    const outcome = await newHandleOnce()('order-1', 1, async () => {
      expect((await sql.unsafe(IMPORT)).count).toBe(0);
      expect(await counts()).toEqual([{ missing: '1', in_flight: '1', failed: '0' }]);
      return 'done';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'done' });
    expect(await counts()).toEqual(NONE);
  });

  test('skips rows without a time, and takes the last of several rows of a key', async () => {
    await sql`alter table processed_messages drop constraint processed_messages_pkey`;
    await sql`alter table processed_messages alter column processed_at drop not null`;
    await sql`insert into processed_messages values ('none', null)`;
    for (const daysAgo of [3, 1, 2]) await processed('order-1', daysAgo);
    expect((await sql.unsafe(IMPORT)).count).toBe(1);
    expect(await counts()).toEqual(NONE);
    const rows = await sql`
      select key, round(extract(epoch from now() - created_at) / 86400)::integer as days from handle_once.records`;
    expect(rows).toEqual([{ key: 'order-1', days: 1 }]);
  });
});

describe('A look at the old key', () => {
  test('counts nothing, however often an old worker is found at work', async () => {
    const handleOnce = newHandleOnce();
    const { opened, open } = gate();
    const charge = vi.fn();
    let looks = 0;
    const lookup: typeof handleOnce.lookup = async (key) => {
      const before = await handleOnce.lookup(key);
      if (before?.state !== 'pending' || before.reason !== 'in-flight') return before;
      looks += 1;
      if (looks === 50) open();
      return { ...before, retryAfterMs: 1 };
    };
    const claimed = gate();
    const old = handleOnce('message-1', 1, async () => {
      claimed.open();
      await opened;
      charge();
    });
    await claimed.opened;
    const outcome = await handleOnce('order-1', 1, async (_, attempt) => {
      if (!(await isDoneUnder('message-1', attempt, { lookup }))) charge();
    });
    await old;
    expect(looks).toBeGreaterThanOrEqual(50);
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(charge).toHaveBeenCalledOnce();
    expect(await showRecord({ sql, scope: 'billing', key: 'order-1' })).toMatchObject({
      attempts: 1,
      failures: 0,
    });
  });

  test('that is stopped with its worker counts nothing either', async () => {
    const handleOnce = newHandleOnce();
    const { opened, open } = gate();
    const claimed = gate();
    const old = handleOnce('message-1', 1, async () => {
      claimed.open();
      await opened;
    });
    await claimed.opened;
    const worker = new AbortController();
    const look = async (_: unknown, attempt: Parameters<typeof isDoneUnder>[1]) => {
      worker.abort();
      return await isDoneUnder('message-1', attempt, handleOnce);
    };
    expect(await handleOnce('order-1', 1, look, { signal: worker.signal })).toMatchObject({
      state: 'pending',
    });
    expect(await showRecord({ sql, scope: 'billing', key: 'order-1' })).toMatchObject({
      attempts: 0,
      failures: 0,
    });
    open();
    await old;
  });

  test('runs what no worker handles', async () => {
    const handleOnce = newHandleOnce();
    await handleOnce('message-1', 1, () => Promise.reject(new Error('again')));
    for (const oldKey of ['message-1', 'unknown']) {
      const seen = await handleOnce(`new-${oldKey}`, 1, async (_, attempt) =>
        isDoneUnder(oldKey, attempt, handleOnce),
      );
      expect(seen).toMatchObject({ result: false });
    }
  });
});

describe('The import of a dedupe table', () => {
  test.each([
    ['uuid', '0b0e7a52-6f4f-4d4c-9a55-5a4c1b7d2f10'],
    ['bigint', '9007199254740993'],
  ])('takes ids of the type %s as their text', async (type, id) => {
    await sql.unsafe(
      `alter table processed_messages alter column message_id type ${type} using message_id::${type}`,
    );
    await processed(id);
    expect(await sql.unsafe(COUNT)).toMatchObject([{ missing: '1' }]);
    await sql.unsafe(IMPORT);
    expect(await sql.unsafe(COUNT)).toMatchObject([{ missing: '0' }]);
    expect(await newHandleOnce().lookup(id)).toMatchObject({ state: 'succeeded' });
  });
});

describe('Shadow mode', () => {
  function bench() {
    const done = new Set<string>();
    const differences: Difference[] = [];
    const shadow = newHandleOnce({ scope: 'billing-shadow' });
    const consume = withShadow(
      (key) => {
        const said = done.has(key) ? 'skipped' : 'handled';
        done.add(key);
        return Promise.resolve(said);
      },
      shadow,
      (difference) => differences.push(difference),
    );
    return { consume, done, differences };
  }

  test('has no difference where both say the same', async () => {
    const { consume, differences } = bench();
    for (const said of ['handled', 'skipped', 'skipped']) expect(await consume('order-1', 'body')).toBe(said);
    expect(differences).toEqual([]);
    expect(await newHandleOnce().lookup('order-1')).toBeUndefined();
  });

  test('tells of a message that one of the two would have run twice', async () => {
    const { consume, done, differences } = bench();
    await consume('order-1', 'body');
    done.clear();
    await consume('order-1', 'body');
    done.add('order-2');
    await consume('order-2', 'body');
    expect(differences).toEqual([
      { key: 'order-1', old: 'handled', shadow: 'skipped' },
      { key: 'order-2', old: 'skipped', shadow: 'handled' },
    ]);
  });

  test('tells of a key that comes with two payloads, and fails no message', async () => {
    const { consume, differences } = bench();
    await consume('order-1', 'body');
    expect(await consume('order-1', 'another')).toBe('skipped');
    expect(differences).toEqual([{ key: 'order-1', old: 'skipped', shadow: 'PayloadMismatchError' }]);
  });
});
