import { randomUUID } from 'node:crypto';
import { createHandleOnce, type HandleOnceEvent } from 'handle-once';
import { onceEach, type OnceEachEvent } from 'handle-once/adapter';
import { createMemoryStore } from 'handle-once/testing';
import type postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { aborted, gate } from '../support/gate.ts';
import { issuesOf } from '../support/issues-of.ts';
import { until } from '../support/until.ts';

const { sql } = useDatabase();

beforeAll(async () => {
  await sql`create table effects (id text not null)`;
});

beforeEach(async () => {
  await sql`delete from effects`;
});

async function effects(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from effects order by id`;
  return rows.map(({ id }) => id);
}

async function write(tx: postgres.TransactionSql, ids: readonly string[]): Promise<void> {
  await tx`insert into effects ${tx(ids.map((id) => ({ id })))}`;
}

/** A broker whose messages are their own keys and bodies. Batches are full, or wait for as good as no end. */
function setup(size = 3, waitMs = 60_000) {
  const calls: string[] = [];
  const events: (OnceEachEvent | HandleOnceEvent)[] = [];
  const onEvent = (event: OnceEachEvent | HandleOnceEvent): unknown => events.push(event);
  const options = {
    handleOnce: createHandleOnce({ sql, scope: randomUUID(), backoff: () => 0, onEvent }),
    key: (id: string) => id,
    body: (id: string) => id,
    parse: String,
    acknowledge: (id: string) => calls.push(`acknowledge ${id}`),
    onFailed: 'keep',
    batch: { size, waitMs },
    onEvent,
  } as const;
  const retryLater = (id: string, delayMs: number): unknown => calls.push(`retry ${id} in ${delayMs}`);
  return { options, retryLater, calls, events };
}

describe('Messages that come one by one', () => {
  test('run once for many, in one transaction, and each caller has the answer of its own', async () => {
    const { options, calls } = setup();
    const ran: string[][] = [];
    const handle = onceEach({ ...options, inTransaction: true }, async (ids, attempts, tx) => {
      ran.push([...ids]);
      expect(attempts.map(({ message }) => message)).toEqual(ids);
      await write(tx, ids);
      return ids.map((id) => `did ${id}`);
    });
    const handled = ['a', 'b', 'c'].map((id) => handle(id));
    expect(await Promise.all(handled)).toMatchObject(
      ['a', 'b', 'c'].map((id) => ({ action: 'acknowledged', outcome: { result: `did ${id}` } })),
    );
    expect(ran).toEqual([['a', 'b', 'c']]);
    expect(calls.toSorted()).toEqual(['acknowledge a', 'acknowledge b', 'acknowledge c']);
    expect(await effects()).toEqual(['a', 'b', 'c']);
    const again = await Promise.all(['c', 'a', 'd'].map((id) => handle(id)));
    expect(again).toMatchObject([
      { outcome: { replayed: true, result: 'did c' } },
      { outcome: { replayed: true, result: 'did a' } },
      { outcome: { replayed: false, result: 'did d' } },
    ]);
    expect(ran).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('wait for others no longer than waitMs, and not once claimed', async () => {
    const { options, events } = setup(3, 40);
    const ran: string[][] = [];
    const handle = onceEach(options, (ids) => {
      ran.push([...ids]);
    });
    const handling = Promise.all([handle('a'), handle('b')]);
    expect(events).toEqual([]);
    await handling;
    await handle('c');
    expect(ran).toEqual([['a', 'b'], ['c']]);
  });

  test('of which one is bad are rolled back as a batch, and the bad one alone is kept', async () => {
    const { options, retryLater, calls } = setup();
    const ran: string[][] = [];
    const handle = onceEach({ ...options, retryLater, inTransaction: true }, async (ids, _, tx) => {
      ran.push([...ids]);
      await write(tx, ids);
      if (ids.includes('bad')) throw new Error('bad');
    });
    const handled = await Promise.all(['a', 'bad', 'c'].map((id) => handle(id)));
    expect(handled.map(({ action }) => action)).toEqual(['acknowledged', 'kept', 'acknowledged']);
    expect(ran).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
    expect(calls.toSorted()).toEqual(['acknowledge a', 'acknowledge c', 'retry bad in 0']);
    expect(await effects()).toEqual(['a', 'c']);
  });

  test('do not wait for what the broker answers to another', async () => {
    const { options, calls } = setup();
    const answered = gate();
    const acknowledge = (id: string): unknown => {
      calls.push(id);
      return id === 'a' ? answered.opened : undefined;
    };
    const handle = onceEach({ ...options, acknowledge, inTransaction: true }, (ids) => {
      if (ids.length > 1) throw new Error('one by one');
    });
    const handling = ['a', 'b', 'c'].map((id) => handle(id));
    await until(() => calls.length === 3);
    answered.open();
    await Promise.all(handling);
  });

  test('that failed are tried again in their place, alone, and their bodies are read once', async () => {
    const { options, calls } = setup();
    const ran: string[][] = [];
    const body = vi.fn((id: string) => id);
    const handle = onceEach({ ...options, body }, (ids, attempts) => {
      ran.push([...ids]);
      if (attempts.some(({ number }) => number === 1)) throw new Error('not yet');
    });
    const handled = await Promise.all(['a', 'b', 'c'].map((id) => handle(id)));
    expect(handled.map(({ action }) => action)).toEqual(Array(3).fill('acknowledged'));
    expect(ran[0]).toEqual(['a', 'b', 'c']);
    expect(ran.slice(1).toSorted()).toEqual([['a'], ['b'], ['c']]);
    expect([body.mock.calls.length, calls.length]).toEqual([3, 3]);
  });

  test('of a handler that always throws are kept, and fail for good in the end', async () => {
    const { options, retryLater, calls } = setup(2);
    const handle = onceEach({ ...options, retryLater, maxAttempts: 2, onFailed: 'acknowledge' }, () => {
      throw new Error('never');
    });
    const both = () => Promise.all([handle('a'), handle('b')]);
    expect((await both()).map(({ action, reason }) => [action, reason])).toEqual([
      ['kept', 'released'],
      ['kept', 'released'],
    ]);
    expect((await both()).map(({ action }) => action)).toEqual(['acknowledged', 'acknowledged']);
    expect(calls.filter((call) => call.startsWith('retry'))).toHaveLength(2);
  });
});

describe('The signal of one message', () => {
  test('returns it at once while it waits for others, and the others run without it', async () => {
    const { options, retryLater, calls } = setup();
    const ran: string[][] = [];
    const handle = onceEach({ ...options, retryLater }, (ids) => {
      ran.push([...ids]);
    });
    const { signal, abort } = withAbort();
    const waiting = handle('a', { signal });
    const others = [handle('b')];
    abort();
    expect(await waiting).toMatchObject({ action: 'kept', reason: 'aborted' });
    others.push(handle('c'));
    await Promise.all(others);
    expect(ran).toEqual([['b', 'c']]);
    expect(calls).toContain('retry a in 0');
  });

  test.each([true, false])(
    'stops the batch, which counts for none (in a transaction: %j)',
    async (inTransaction) => {
      const { options, retryLater, events } = setup();
      const ran: string[][] = [];
      const { signal, abort } = withAbort();
      const run = async (ids: readonly string[], attempts: readonly { signal: AbortSignal }[]) => {
        ran.push([...ids]);
        if (ids.length === 1) return;
        abort();
        throw await aborted(attempts[1]?.signal ?? expect.unreachable());
      };
      const handle = inTransaction
        ? onceEach({ ...options, retryLater, inTransaction }, run)
        : onceEach({ ...options, retryLater }, run);
      const handled = await Promise.all([handle('a', { signal }), handle('b'), handle('c')]);
      expect(handled[0]).toMatchObject({ action: 'kept', outcome: { reason: 'released', attempts: 0 } });
      if (inTransaction) {
        expect(handled.slice(1)).toMatchObject(Array(2).fill({ action: 'acknowledged' }));
        expect(ran).toEqual([['a', 'b', 'c'], ['b'], ['c']]);
      } else {
        const released = { action: 'kept', outcome: { reason: 'released', attempts: 0 } };
        expect(handled.slice(1)).toMatchObject(Array(2).fill(released));
        expect(ran).toEqual([['a', 'b', 'c']]);
      }
      expect(events).not.toContainEqual(expect.objectContaining({ type: 'failed' }));
    },
  );
});

test('a message that lapses while it waits for others does not run', async () => {
  const { options } = setup(2);
  const ran: string[][] = [];
  const handle = onceEach({ ...options, batch: { size: 2, waitMs: 95 }, ackWaitMs: 100 }, (ids) => {
    ran.push([...ids]);
  });
  expect(await handle('a')).toEqual({ action: 'kept', reason: 'lapsed' });
  expect(ran).toEqual([]);
});

test('a message that has lapsed holds up no other', async () => {
  const { options } = setup(2);
  const ran: string[][] = [];
  const handle = onceEach({ ...options, batch: { size: 2, waitMs: 9_000 }, ackWaitMs: 10_000 }, (ids) => {
    ran.push([...ids]);
  });
  const handled = await Promise.all([handle('a', { receivedAt: Date.now() - 10_000 }), handle('b')]);
  expect(handled).toMatchObject([{ reason: 'lapsed' }, { action: 'acknowledged' }]);
  expect(ran).toEqual([['b']]);
});

test('one that waits for others is extended', async () => {
  const { options } = setup(2);
  const extend = vi.fn(() => true);
  const handle = onceEach(
    { ...options, batch: { size: 2, waitMs: 600 }, ackWaitMs: 300, extend },
    () => undefined,
  );
  expect(await handle('a')).toMatchObject({ action: 'acknowledged' });
  expect(extend.mock.calls.length).toBeGreaterThan(3);
});

test('options of batches are checked', () => {
  const { options } = setup();
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const issues = (more: object) =>
    issuesOf(() => onceEach({ ...options, handleOnce, ...more } as never, () => undefined));
  expect(issues({})).toEqual([]);
  expect(issues({ batch: { size: 501 } })).toMatchObject([{ field: 'batch.size' }]);
  expect(issues({ batch: { size: 2, waitMs: 60_001 } })).toMatchObject([{ field: 'batch.waitMs' }]);
  expect(issues({ maxDeaths: 2 })).toMatchObject([{ field: 'maxDeaths' }]);
  expect(issues({ maxAttempts: 1 })).toMatchObject([{ field: 'maxAttempts' }]);
});

function withAbort(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort(new Error('stopped'));
    },
  };
}
