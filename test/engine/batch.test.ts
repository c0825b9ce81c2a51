import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Attempt,
  type BatchAttempt,
  type BeginningAttempt,
  createHandleOnce,
  type HandleOnce,
  type HandleOnceEvent,
  InvalidOptionsError,
  RetryableError,
  TerminalError,
} from '../../src/index.ts';
import { Batch } from '../../src/engine/batch/batch.ts';
import { handlesOf } from '../../src/engine/hidden-handles.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { usePostgresBench } from './support/bench.ts';
import { withCommit } from './support/with-commit.ts';

type Tx = postgres.TransactionSql;

const bench = usePostgresBench();
const { sql } = bench.database;

let scopes = 0;
let scope = '';
let events: HandleOnceEvent[] = [];
let handleOnce: HandleOnce<Tx>;

beforeAll(async () => {
  await sql`create table effects (id text not null)`;
});

beforeEach(async () => {
  await sql`delete from effects`;
  scopes += 1;
  scope = `batch-${scopes}`;
  events = [];
  handleOnce = make();
});

function make(more: object = {}): HandleOnce<Tx> {
  return createHandleOnce<Tx>({
    sql,
    scope,
    backoff: () => 0,
    onEvent: (event) => {
      events.push(event);
    },
    ...more,
  });
}

async function effects(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from effects order by id`;
  return rows.map(({ id }) => id);
}

async function write(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx`insert into effects ${tx(ids.map((id) => ({ id })))}`;
}

const entriesOf = (...keys: string[]) => keys.map((key) => ({ key, payload: key }));
const typesOf = (key: string) => events.filter((event) => event.key === key).map(({ type }) => type);

/** The real client, in whose transactions another thing is done than our COMMIT. */
function committing(commit: (tx: Tx) => Promise<unknown>): PostgresClient<Tx> {
  return {
    unsafe: sql.unsafe.bind(sql) as PostgresClient['unsafe'],
    begin: (_, work) => sql.begin((tx) => work(withCommit(tx, () => commit(tx)))),
  };
}

const failing = (text: string) => Promise.reject(new Error(text));
const conflict = () => Object.assign(new Error('could not serialize access'), { code: '40001' });
const lostConnection = () =>
  Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });

describe('A batch in a transaction', () => {
  it('runs its handler once for all, and answers each with its own result', async () => {
    const handler = vi.fn(async (payloads: readonly string[], _: readonly Attempt[], tx: Tx) => {
      await write(tx, payloads);
      return payloads.map((payload) => `did ${payload}`);
    });
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'b', 'c'), handler);
    expect(outcomes).toMatchObject(
      ['a', 'b', 'c'].map((key) => ({
        state: 'succeeded',
        replayed: false,
        attempts: 1,
        result: `did ${key}`,
      })),
    );
    expect(handler).toHaveBeenCalledOnce();
    expect(handler.mock.calls[0]?.[1].map(({ key, number }) => [key, number])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(await effects()).toEqual(['a', 'b', 'c']);
    const again = await handleOnce.inTransaction.batch(entriesOf('c', 'a'), handler);
    expect(again).toMatchObject([
      { state: 'succeeded', replayed: true, result: 'did c' },
      { state: 'succeeded', replayed: true, result: 'did a' },
    ]);
    expect(handler).toHaveBeenCalledOnce();
    expect(typesOf('a')).toEqual(['claimed', 'succeeded', 'replayed']);
  });

  it('answers what is on record, refuses what differs, and runs the others', async () => {
    await handleOnce('done', 'done', () => 'before');
    await handleOnce('other', 'another payload', () => 'before');
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('done', 'a', 'other', '', 'b'),
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        await write(tx, payloads);
      },
    );
    expect(ran).toEqual([['a', 'b']]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded', replayed: true, result: 'before' },
      { state: 'succeeded', replayed: false },
      { state: 'refused', reason: 'mismatch' },
      { state: 'refused', reason: 'invalid-key' },
      { state: 'succeeded', replayed: false },
    ]);
  });

  it('answers the second of one key from the record', async () => {
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      [...entriesOf('a', 'b'), { key: 'a', payload: 'a' }, { key: 'a', payload: 'another' }],
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        await write(tx, payloads);
        return payloads.map((payload) => `did ${payload}`);
      },
    );
    expect(ran).toEqual([['a', 'b']]);
    expect(outcomes).toMatchObject([
      { replayed: false, result: 'did a' },
      { replayed: false },
      { replayed: true, result: 'did a' },
      { state: 'refused', reason: 'mismatch' },
    ]);
  });

  it('that throws leaves nothing behind, and only the guilty one fails', async () => {
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'bad', 'c'),
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        await write(tx, payloads);
        if (payloads.includes('bad')) throw new Error('bad');
      },
    );
    expect(ran).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded', attempts: 1 },
      { state: 'pending', reason: 'released', attempts: 1, error: { message: 'bad' } },
      { state: 'succeeded', attempts: 1 },
    ]);
    expect(await effects()).toEqual(['a', 'c']);
    expect(typesOf('c')).toEqual(['claimed', 'succeeded']);
  });

  it('that throws a TerminalError is no verdict on all', async () => {
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'bad'), (payloads) => {
      if (payloads.includes('bad')) throw new TerminalError('no such customer');
    });
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'failed', reason: 'terminal' }]);
  });

  it('does not take what has been tried before', async () => {
    await handleOnce.inTransaction('tried', 'tried', () => {
      throw new Error('not yet');
    });
    await handleOnce.inTransaction('deferred', 'deferred', () => {
      throw new RetryableError('not yet', { counted: false, retryAfterMs: 0 });
    });
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('tried', 'a', 'deferred', 'b'),
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        await write(tx, payloads);
      },
    );
    expect(ran).toEqual([['a', 'b'], ['tried'], ['deferred']]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded', attempts: 2 },
      { state: 'succeeded', attempts: 1 },
      { state: 'succeeded', attempts: 1 },
      { state: 'succeeded', attempts: 1 },
    ]);
  });

  it('with one member that another worker has taken over is rolled back, and runs the others alone', async () => {
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'taken', 'c'),
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        if (payloads.length > 1) {
          await sql`
          update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = 'taken'`;
        }
        await write(tx, payloads);
      },
    );
    expect(ran).toEqual([['a', 'taken', 'c'], ['a'], ['c']]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded' },
      { state: 'pending', reason: 'lease-lost' },
      { state: 'succeeded' },
    ]);
    expect(await effects()).toEqual(['a', 'c']);
  });

  it('aborts the signal of all when one has lost its lease, and names it', async () => {
    handleOnce = make({ leaseMs: 1_000 });
    const reasons: unknown[] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'taken'),
      async (payloads, attempts, tx) => {
        await write(tx, payloads);
        if (payloads.length === 1) return;
        const [first] = attempts as [Attempt];
        await sql`
        update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = 'taken'`;
        await until(() => first.signal.aborted);
        reasons.push(first.signal.reason);
        first.signal.throwIfAborted();
      },
    );
    expect(reasons).toMatchObject([
      {
        name: 'LeaseLostError',
        message: expect.stringContaining('message taken of the batch is lost') as string,
      },
    ]);
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { reason: 'lease-lost' }]);
    expect(await effects()).toEqual(['a']);
  });

  it('whose COMMIT was done, and not answered, has succeeded', async () => {
    const lossy = make({
      sql: committing(async (tx) => {
        await tx.unsafe('commit');
        throw lostConnection();
      }),
    });
    const outcomes = await lossy.inTransaction.batch(entriesOf('a', 'b'), (payloads, _, tx) =>
      write(tx, payloads),
    );
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    expect(await effects()).toEqual(['a', 'b']);
  });

  it('whose COMMIT was not done, and not answered, counts for none', async () => {
    const lossy = make({
      sql: committing(async (tx) => {
        await tx.unsafe('rollback');
        throw lostConnection();
      }),
    });
    const outcomes = await lossy.inTransaction.batch(entriesOf('a', 'b'), (payloads, _, tx) =>
      write(tx, payloads),
    );
    expect(outcomes).toMatchObject([
      { state: 'pending', reason: 'released', attempts: 0 },
      { state: 'pending', reason: 'released', attempts: 0 },
    ]);
    expect(await effects()).toEqual([]);
  });

  it('whose COMMIT is not answered asks the next message where the first is of another worker', async () => {
    const taken = () => sql`
      update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = 'a'`;
    const lossy = make({
      sql: committing(async (tx) => {
        await tx.unsafe('rollback');
        await taken();
        throw lostConnection();
      }),
    });
    const outcomes = await lossy.inTransaction.batch(entriesOf('a', 'b'), (payloads, _, tx) =>
      write(tx, payloads),
    );
    expect(outcomes).toMatchObject([
      { state: 'pending', reason: 'lease-lost' },
      { state: 'pending', reason: 'released', attempts: 0 },
    ]);
    expect(await effects()).toEqual([]);
  });

  it('that takes too long is undone, and its messages run alone, each within the timeout', async () => {
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'slow', 'c'),
      async (payloads, attempts, tx) => {
        await write(tx, payloads);
        if (!payloads.includes('slow')) return;
        const [{ signal }] = attempts as [Attempt];
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
      },
      { timeoutMs: 300 },
    );
    expect(outcomes).toMatchObject([
      { state: 'succeeded' },
      { state: 'pending', reason: 'released', attempts: 1, error: { name: 'TimeoutError' } },
      { state: 'succeeded' },
    ]);
    expect(await effects()).toEqual(['a', 'c']);
  });

  it('does not end a message that runs alone when the time of the batch is over', async () => {
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'b'),
      async (payloads, attempts, tx) => {
        await write(tx, payloads);
        if (payloads.length > 1) throw new Error('alone, please');
        if (payloads[0] === 'a') return;
        // Begins when a half of its own time has passed since the claim, and needs most of that time.
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        attempts[0]?.signal.throwIfAborted();
      },
      {
        timeoutMs: 2_000,
        parse: async (payload: string) => {
          await new Promise((resolve) => setTimeout(resolve, 500));
          return payload;
        },
      },
    );
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  });

  it('that its caller aborts releases all, uncounted', async () => {
    const controller = new AbortController();
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'b'),
      (payloads, [attempt]) => {
        ran.push([...payloads]);
        controller.abort(new Error('the worker stops'));
        attempt?.signal.throwIfAborted();
      },
      { signal: controller.signal },
    );
    expect(ran).toEqual([['a', 'b']]);
    expect(outcomes).toMatchObject([
      { state: 'pending', reason: 'released', attempts: 0 },
      { state: 'pending', reason: 'released', attempts: 0 },
    ]);
  });

  it('of one message runs once when it throws', async () => {
    let runs = 0;
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a'), () => {
      runs += 1;
      throw new Error('no');
    });
    expect(runs).toBe(1);
    expect(outcomes).toMatchObject([{ state: 'pending', reason: 'released', attempts: 1 }]);
  });

  it('refuses another number of results than of messages, and commits nothing', async () => {
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'b'), async (payloads, _, tx) => {
      await write(tx, payloads);
      return ['one', 'two', 'three'];
    });
    expect(outcomes).toMatchObject([
      {
        reason: 'released',
        error: { message: expect.stringContaining('a list of 3 for 1 message:') as string },
      },
      { reason: 'released' },
    ]);
    expect(await effects()).toEqual([]);
  });

  it('runs again, as a whole, after a conflict, with payloads that no run has changed', async () => {
    let runs = 0;
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'b').map(({ key }) => ({ key, payload: JSON.stringify({ key }) })),
      async (orders, _, tx) => {
        runs += 1;
        for (const order of orders) order.key += '!';
        await write(
          tx,
          orders.map(({ key }) => key),
        );
        if (runs < 4) throw conflict();
      },
      { parse: (text: string) => JSON.parse(text) as { key: string } },
    );
    expect(runs).toBe(4);
    expect(outcomes).toMatchObject([
      { state: 'succeeded', attempts: 1 },
      { state: 'succeeded', attempts: 1 },
    ]);
    expect(await effects()).toEqual(['a!', 'b!']);
    expect(typesOf('a')).toEqual(['claimed', 'succeeded']);
  });

  it('goes on without a message whose payload is invalid when they meet again', async () => {
    let parses = 0;
    let runs = 0;
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'fickle', 'c'),
      async (payloads, _, tx) => {
        runs += 1;
        if (runs === 1) throw conflict();
        await write(tx, payloads);
      },
      {
        parse(text: string) {
          if (text !== 'fickle') return text;
          parses += 1;
          if (parses > 1) throw new SyntaxError('no JSON');
          return text;
        },
      },
    );
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'failed' }, { state: 'succeeded' }]);
    expect(await effects()).toEqual(['a', 'c']);
  });

  it('whose conflicts do not end runs one by one', async () => {
    const sizes: number[] = [];
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'b'), (payloads) => {
      sizes.push(payloads.length);
      if (payloads.length > 1) throw conflict();
    });
    expect(sizes).toEqual([2, 2, 2, 2, 2, 2, 1, 1]);
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  });

  it('does not wait for a payload whose parse never ends', async () => {
    handleOnce = make({ timeoutMs: 300 });
    const ran: string[][] = [];
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'hangs', 'c'),
      async (payloads, _, tx) => {
        ran.push([...payloads]);
        await write(tx, payloads);
      },
      {
        parse: (text: string): string | Promise<string> =>
          text === 'hangs' ? new Promise<never>(() => undefined) : text,
      },
    );
    expect(ran).toEqual([['a', 'c']]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded' },
      { state: 'pending', reason: 'unrecorded' },
      { state: 'succeeded' },
    ]);
    expect(await effects()).toEqual(['a', 'c']);
  });

  it('is not started once a lease is over while another is claimed', async () => {
    handleOnce = make({ leaseMs: 4_000 });
    const parsed = gate();
    const outcome = handleOnce.inTransaction.batch(
      entriesOf('a', 'b'),
      (payloads, _, tx) => write(tx, payloads),
      {
        parse: async (payload: string) => {
          if (payload === 'b') await parsed.opened;
          return payload;
        },
      },
    );
    await until(() => typesOf('b').includes('claimed'));
    await sql`update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = 'a'`;
    // Both have their heartbeats in one statement.
    const extended = () =>
      sql`select from handle_once.records
        where scope = ${scope} and key = 'b' and live_until > began_at + interval '4.1 s'`;
    await until(async () => (await extended()).length === 1);
    parsed.open();
    expect(await outcome).toMatchObject([{ state: 'pending', reason: 'lease-lost' }, { state: 'succeeded' }]);
    expect(await effects()).toEqual(['b']);
  });

  it('shows in the hook around attempts as two runs of each message when it is undone', async () => {
    const runs: {
      readonly key: string;
      readonly error: string | undefined;
      readonly of: number | undefined;
    }[] = [];
    handleOnce = make({
      around: async (attempt: BeginningAttempt, run: () => Promise<unknown>) => {
        const error = await run().then(
          () => undefined,
          (error: unknown) => (error as Error).name,
        );
        runs.push({ key: attempt.key, error, of: attempt.batchSize });
      },
    });
    await handleOnce.inTransaction.batch(entriesOf('a', 'b'), async (payloads, _, tx) => {
      if (payloads.length > 1) throw new Error('only one at a time');
      await write(tx, payloads);
    });
    expect(runs).toEqual([
      { key: 'a', error: 'RunsAloneError', of: 2 },
      { key: 'a', error: undefined, of: undefined },
      { key: 'b', error: 'RunsAloneError', of: 2 },
      { key: 'b', error: undefined, of: undefined },
    ]);
  });

  it('does not run again with a payload that its handler has changed', async () => {
    let runs = 0;
    const outcomes = await handleOnce.inTransaction.batch(
      ['a', 'b', 'c'].map((key) => ({ key, payload: { key } })),
      async (orders, _, tx) => {
        runs += 1;
        for (const order of orders) if (order.key !== 'b') order.key += '!';
        await write(
          tx,
          orders.map(({ key }) => key),
        );
        if (runs === 1) throw conflict();
      },
    );
    const refusal = {
      state: 'pending',
      reason: 'released',
      attempts: 1,
      error: { message: expect.stringContaining('the handler has changed its payload') as string },
    };
    expect(outcomes).toMatchObject([refusal, { state: 'succeeded' }, refusal]);
    expect(await effects()).toEqual(['b']);
  });

  it('that its caller stops is undone without that event: nothing runs one by one', async () => {
    const caller = new AbortController();
    const outcomes = await handleOnce.inTransaction.batch(
      entriesOf('a', 'b'),
      (_, [attempt]) => {
        caller.abort(new Error('stop'));
        attempt?.signal.throwIfAborted();
      },
      { signal: caller.signal },
    );
    expect(outcomes).toMatchObject([{ reason: 'released' }, { reason: 'released' }]);
    expect(events.map(({ type }) => type)).not.toContain('batch-undone');
  });

  it('that is undone emits one event of its own', async () => {
    await handleOnce.inTransaction.batch(entriesOf('a', 'b'), (payloads) => {
      if (payloads.length > 1) throw new Error('no');
    });
    expect(events.filter(({ type }) => type === 'batch-undone')).toMatchObject([
      { scope, key: '', messages: 2, error: { message: 'no' } },
    ]);
  });

  it('shows in the hook as one run where there is no other message', async () => {
    const errors: unknown[] = [];
    handleOnce = make({
      around: async (_: BeginningAttempt, run: () => Promise<unknown>) => {
        await run().catch((error: unknown) => errors.push(error));
        errors.push(undefined);
      },
    });
    const runOne = (key: string) =>
      handleOnce.inTransaction.batch(entriesOf(key), (payloads, _, tx) => write(tx, payloads));
    await runOne('a');
    expect(errors).toEqual([undefined]);
    // `a` is answered from its record: `b` has waited for it, and runs alone.
    await handleOnce.inTransaction.batch(entriesOf('a', 'b'), (payloads, _, tx) => write(tx, payloads));
    expect(errors).toEqual([undefined, undefined, undefined]);
    expect(await effects()).toEqual(['a', 'b']);
  });

  it('claims a message that has failed once, where there is no other', async () => {
    let fails = true;
    const runOne = () =>
      handleOnce.inTransaction.batch(entriesOf('a'), () => {
        if (fails) throw new Error('no');
      });
    await runOne();
    fails = false;
    expect(await runOne()).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
    expect(typesOf('a')).toEqual(['claimed', 'released', 'claimed', 'succeeded']);
  });

  it('handles results that reject before it counts them', async () => {
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'b', 'c'), (payloads) =>
      payloads.length === 1 ? [1] : ([failing('one'), failing('other')] as never),
    );
    expect(outcomes).toMatchObject(['a', 'b', 'c'].map(() => ({ state: 'succeeded', result: 1 })));
  });

  it('has a signal to which each of its messages can listen', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    await handleOnce.inTransaction.batch(
      entriesOf(...Array.from({ length: 12 }, (_, n) => String(n))),
      (_, attempts) => {
        for (const { signal } of attempts) signal.addEventListener('abort', () => undefined);
      },
    );
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('sends the statements in a list that is the result of a message', async () => {
    const outcomes = await handleOnce.inTransaction.batch(entriesOf('a', 'b'), ((
      payloads: string[],
      _: unknown,
      tx: Tx,
    ) =>
      payloads.map((id) => [
        tx`insert into effects values (${id})`,
        tx`insert into effects values (${id})`,
      ])) as never);
    expect(outcomes.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect(await effects()).toEqual(['a', 'a', 'b', 'b']);
  });
});

describe('A batch without a transaction', () => {
  it('fails those that are marked, and records the others', async () => {
    const outcomes = await handleOnce.batch(entriesOf('a', 'bad', 'c', 'worse'), (payloads, attempts) => {
      attempts[1]?.fail(new Error('bad'));
      attempts[3]?.fail(new TerminalError('worse'));
      return payloads.map((payload) => `did ${payload}`);
    });
    expect(outcomes).toMatchObject([
      { state: 'succeeded', result: 'did a' },
      { state: 'pending', reason: 'released', attempts: 1, error: { message: 'bad' } },
      { state: 'succeeded', result: 'did c' },
      { state: 'failed', reason: 'terminal' },
    ]);
  });

  it('that throws fails all that are not marked, and none for good', async () => {
    const outcomes = await handleOnce.batch(
      entriesOf('a', 'marked', 'c'),
      (_, attempts: readonly BatchAttempt[]) => {
        attempts[1]?.fail(new TerminalError('marked'));
        throw new TerminalError('all');
      },
    );
    expect(outcomes).toMatchObject([
      { state: 'pending', reason: 'released', attempts: 1 },
      { state: 'failed', reason: 'terminal', error: { message: 'marked' } },
      { state: 'pending', reason: 'released', attempts: 1 },
    ]);
    const ran: string[][] = [];
    await handleOnce.batch(entriesOf('a', 'c', 'd', 'e'), (payloads) => {
      ran.push([...payloads]);
    });
    expect(ran).toEqual([['d', 'e'], ['a'], ['c']]);
  });

  it('marks one that runs alone too', async () => {
    const fail = () =>
      handleOnce.batch(entriesOf('a'), (_, [attempt]) => {
        attempt?.fail(new Error('no'));
      });
    expect(await fail()).toMatchObject([{ reason: 'released', attempts: 1, error: { message: 'no' } }]);
    expect(await fail()).toMatchObject([{ reason: 'released', attempts: 2, error: { message: 'no' } }]);
  });

  it('whose one message is lost stops, and counts nothing for the others', async () => {
    handleOnce = make({ leaseMs: 1_000 });
    const outcomes = await handleOnce.batch(entriesOf('a', 'taken'), async (_, [first]) => {
      await sql`
        update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = 'taken'`;
      await until(() => first?.signal.aborted === true);
      first?.signal.throwIfAborted();
    });
    expect(outcomes).toMatchObject([
      { state: 'pending', reason: 'released', attempts: 0 },
      { state: 'pending', reason: 'lease-lost' },
    ]);
  });

  it('takes a hole in the list of results for no result', async () => {
    const outcomes = await handleOnce.batch(entriesOf('a', 'b'), () => {
      const results: string[] = [];
      results[1] = 'second';
      return results;
    });
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded', result: 'second' }]);
  });

  it('awaits the promises among its results', async () => {
    const handler = () => ['first', Promise.resolve('second')] as readonly string[];
    const outcomes = await handleOnce.batch(entriesOf('a', 'b'), handler);
    expect(outcomes).toMatchObject([{ result: 'first' }, { result: 'second' }]);
  });

  it('awaits the promises in a list that is a result, also where another result rejects', async () => {
    const lists = () => [Promise.resolve(['a', Promise.resolve('b')]), ['c', Promise.resolve('d')]];
    const outcomes = await handleOnce.batch(entriesOf('a', 'b'), lists as never);
    expect(outcomes).toMatchObject([{ result: ['a', 'b'] }, { result: ['c', 'd'] }]);
    const rejects = () => [sleep(1), [Promise.reject(new Error('no'))]];
    const failed = await handleOnce.batch(entriesOf('c', 'd'), rejects as never);
    expect(failed).toMatchObject([{ error: { message: 'no' } }, { error: { message: 'no' } }]);
  });

  it('waits for a payload whose parse never ends for no longer than a lease', async () => {
    handleOnce = make({ leaseMs: 1_000 });
    const outcomes = await handleOnce.batch(entriesOf('a', 'hangs', 'c'), (payloads) => payloads, {
      parse: (text: string): string | Promise<string> =>
        text === 'hangs' ? new Promise<never>(() => undefined) : text,
    });
    expect(outcomes).toMatchObject([
      { state: 'succeeded', result: 'a' },
      { state: 'pending', reason: 'unrecorded' },
      { state: 'succeeded', result: 'c' },
    ]);
  });
});

describe('A lane of a batch', () => {
  /** Each as an adapter handles it. */
  async function handleLane(keys: readonly string[], invalid: readonly string[]): Promise<void> {
    const batch = new Batch(() => undefined);
    const { handle } = handlesOf(handleOnce);
    const handling = keys.map(async (key) => {
      const seat = batch.take('lane');
      const parse = (text: string): string => {
        if (invalid.includes(text)) throw new SyntaxError('no JSON');
        return text;
      };
      try {
        await handle({ key, content: key, payload: key, parse, handler: seat.handler, seat });
      } finally {
        seat.leave(true);
      }
    });
    await Promise.all([batch.run(), ...handling]);
  }

  it('fails an invalid message in its turn', async () => {
    await handleLane(['a', 'b', 'invalid', 'c', 'd'], ['invalid']);
    const ends = events.filter(({ type }) => type === 'succeeded' || type === 'failed');
    expect(ends.map(({ key }) => key)).toEqual(['a', 'b', 'invalid', 'c', 'd']);
  });
});

describe('A call with wrong arguments', () => {
  it.each([
    ['not a list', () => handleOnce.batch('x' as never, () => undefined), 'entries'],
    ['an entry that is no object', () => handleOnce.batch([1] as never, () => undefined), 'entries.0'],
    [
      'too many',
      () => handleOnce.batch(entriesOf(...Array<string>(501).fill('x')), () => undefined),
      'entries',
    ],
    ['an entry that is null', () => handleOnce.batch([null] as never, () => undefined), 'entries.0'],
    [
      'an entry with a misspelt field',
      () => handleOnce.batch([{ key: 'a', paylod: 1 }] as never, () => undefined),
      'entries.0.paylod',
    ],
    ['no handler', () => handleOnce.batch([], undefined as never), 'handler'],
    [
      'a generator',
      () =>
        handleOnce.batch([], function* () {
          yield 1;
        } as never),
      'handler',
    ],
    ['waitMs', () => handleOnce.batch([], () => undefined, { waitMs: 1 } as never), 'waitMs'],
    ['few deaths', () => handleOnce.withRetries({ maxDeaths: 2 }).batch([], () => undefined), 'maxDeaths'],
    [
      'one attempt',
      () => handleOnce.withRetries({ maxAttempts: 1 }).batch([], () => undefined),
      'maxAttempts',
    ],
  ])('%s is refused', async (_, call, field) => {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect((error as InvalidOptionsError).issues.map((issue) => issue.field)).toEqual([field]);
  });

  it('names the number of entries that are too many', async () => {
    const call = handleOnce.batch(entriesOf(...Array<string>(501).fill('x')), () => undefined);
    await expect(call).rejects.toThrow('{ key, payload }, got 501: make several calls');
  });

  it('with one attempt works in a transaction', async () => {
    const once = handleOnce.withRetries({ maxAttempts: 1 });
    const outcomes = await once.inTransaction.batch(entriesOf('a', 'bad'), (payloads) => {
      if (payloads.includes('bad')) throw new Error('bad');
    });
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'failed' }]);
  });

  it('of no messages calls nothing', async () => {
    const handler = vi.fn();
    expect(await handleOnce.batch([], handler)).toEqual([]);
    expect(handler).not.toHaveBeenCalled();
  });
});
