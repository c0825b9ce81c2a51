import type { TransactionSql } from 'postgres';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { wasAbandoned } from '../../src/engine/abandoned.ts';
import { createHost } from '../../src/engine/host.ts';
import { type HandleOnce, type HandleOnceEvent, StoreError } from '../../src/index.ts';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import type { TransactionalStore } from '../../src/store/transactional-store.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';
import { usePostgresBench } from './support/bench.ts';

type Tx = TransactionSql;

const LEASE_MS = 60_000;
const bench = usePostgresBench();
const store: TransactionalStore<Tx> = createPostgresStore(bench.database.sql, 'handle_once');
const REFUSED = Object.assign(new Error('a constraint refuses it'), { code: '23503' });
const DOWN = new StoreError('the store is down', { retriable: true });
const BROKEN = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });

let time: VirtualTime;
let scopes = 0;
let scope: string;
let events: HandleOnceEvent[];

beforeEach(() => {
  time = createVirtualTime();
  scopes += 1;
  scope = `lost-${scopes}`;
  events = [];
});

function worker(over: Partial<TransactionalStore<Tx>>): HandleOnce<Tx> {
  const given = { ...store, ...over };
  const options = { store: given, scope, leaseMs: LEASE_MS, backoff: () => 0 };
  const onEvent = (event: HandleOnceEvent) => events.push(event);
  return createHandleOnceIn(createHost(time.clock, 'abcdef01'), { ...options, onEvent }, given);
}

const watchedExtend = () => vi.fn<typeof store.extend>((...args) => store.extend(...args));

/** Transactions that are all rolled back. Undefined: the client hides it. */
function undone(error?: Error): Pick<TransactionalStore<Tx>, 'begin' | 'settleLast' | 'tellsRollback'> {
  return {
    tellsRollback: false,
    settleLast: () => Promise.resolve('settled'),
    async begin<T>(work: (transaction: Tx) => Promise<T>): Promise<T> {
      const done: T[] = [];
      const begun = store.begin(async (transaction) => {
        done.push(await work(transaction));
        throw new Error('rolled back');
      });
      await begun.catch(() => undefined);
      if (error !== undefined) throw error;
      return done[0] as T;
    },
  };
}

describe('A transaction that has not committed', () => {
  it.each([
    ['as the database says', REFUSED],
    ['as its record says', BROKEN],
  ])('keeps its record until that can be settled, %s', async (_, error) => {
    let isDown = true;
    const extend = watchedExtend();
    const settle = vi.fn<typeof store.settle>((...args) =>
      isDown ? Promise.reject(DOWN) : store.settle(...args),
    );
    const handleOnce = worker({ ...undone(error), extend, settle });
    const outcome = handleOnce.inTransaction('key', 'body', () => 'done');
    await until(() => settle.mock.calls.length > 0);
    const before = extend.mock.calls.length;
    await time.advance(LEASE_MS / 2);
    await until(() => extend.mock.calls.length > before);
    isDown = false;
    await time.advance(1_000);
    expect(await outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
  });

  it('is released by a store that cannot look', async () => {
    const handleOnce = worker({ ...undone(BROKEN), lookup: undefined as never });
    const outcome = await handleOnce.inTransaction('key', 'body', () => 'done');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
  });

  it('is not reported as released where no lookup is possible', async () => {
    const lookup = () => Promise.reject(DOWN);
    const handleOnce = worker({ ...undone(BROKEN), lookup });
    const outcome = await handleOnce.inTransaction('key', 'body', () => 'done');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'unrecorded', error: { code: 'ECONNRESET' } });
    expect(events).toContainEqual({
      ...{ type: 'store-error', scope, key: 'key', verb: 'lookup' },
      error: expect.objectContaining({ name: 'StoreError' }) as unknown,
    });
  });

  it('has failed once where its client hides that', async () => {
    const outcome = await worker(undone()).inTransaction('key', 'body', () => 'done');
    const error = { code: '25P02', message: expect.stringContaining('was rolled back') as string };
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1, error });
    expect(await bench.record(scope, 'key')).toMatchObject({ attempts: 1, failures: 1 });
  });

  it('is lost where another worker takes its message over before it is released', async () => {
    const settle = () => Promise.resolve(['lost'] as const);
    const outcome = await worker({ ...undone(BROKEN), settle }).inTransaction('key', 'body', () => 'done');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', error: { code: 'ECONNRESET' } });
  });

  it('is asked for again where another transaction has its record locked', async () => {
    const extend = watchedExtend();
    extend.mockResolvedValueOnce(['locked']);
    const outcome = worker({ ...undone(BROKEN), extend }).inTransaction('key', 'body', () => 'done');
    await until(() => extend.mock.calls.length === 1);
    await time.advance(200);
    expect(await outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
  });

  it('is asked for until its lease is over', async () => {
    const extend = vi.fn<typeof store.extend>(() => Promise.reject(DOWN));
    const outcome = worker({ ...undone(BROKEN), extend }).inTransaction('key', 'body', () => 'done');
    await until(() => extend.mock.calls.length === 1);
    await time.advance(LEASE_MS - 1_000);
    expect(extend.mock.calls.length).toBeGreaterThan(100);
    await time.advance(1_000);
    expect(await outcome).toMatchObject({ state: 'pending', reason: 'unrecorded' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'store-error', scope, key: 'key', verb: 'extend' }),
    );
  });
});

it('A transaction that has committed is asked for once, where its client would hide a rollback', async () => {
  const extend = watchedExtend();
  const settle = vi.fn<typeof store.settle>((...args) => store.settle(...args));
  const handleOnce = worker({ tellsRollback: false, extend, settle });
  expect(await handleOnce.inTransaction('key', 'body', () => 'done')).toMatchObject({ state: 'succeeded' });
  expect([extend.mock.calls.length, settle.mock.calls.length]).toEqual([1, 0]);
});

it('A transaction that hangs is given up after its time, and its outcome is marked as abandoned', async () => {
  const running = gate();
  const hanging = worker({}).inTransaction(
    'key',
    'body',
    async () => {
      running.open();
      await new Promise(() => undefined);
    },
    { timeoutMs: 1_000 },
  );
  await running.opened;
  await time.advance(2_100);
  const outcome = await hanging;
  expect(outcome).toMatchObject({ state: 'pending', reason: 'unrecorded' });
  expect(wasAbandoned(outcome)).toBe(true);
  expect(wasAbandoned({ ...outcome })).toBe(false);
});
