import type { TransactionSql } from 'postgres';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { type HandleOnce, StoreError } from '../../src/index.ts';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import type { TransactionalStore } from '../../src/store/transactional-store.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';
import { usePostgresBench } from './support/bench.ts';

type Tx = TransactionSql;

const LEASE_MS = 60_000;
const STEP_MS = 86_400_000;

describe('a wall clock that is set forward by a transaction', () => {
  const bench = usePostgresBench();
  const { sql } = bench.database;
  const store: TransactionalStore<Tx> = createPostgresStore(sql, 'handle_once');
  let time: VirtualTime;
  let scopes = 0;

  beforeAll(async () => {
    await sql`create table effects (id text not null)`;
  });

  beforeEach(async () => {
    await sql`delete from effects`;
    time = createVirtualTime();
  });

  function worker(over: Partial<TransactionalStore<Tx>>): HandleOnce<Tx> {
    scopes += 1;
    const given = { ...store, ...over };
    const limits = { maxAttempts: 1, maxDeaths: 1, leaseMs: LEASE_MS };
    const host = createHost(time.clock, 'abcdef01');
    return createHandleOnceIn(host, { store: given, scope: `set-${scopes}`, ...limits }, given);
  }

  /** The settle and the COMMIT are lost on their way. */
  const neverSent: typeof store.settleLast = () => Promise.resolve('settled');

  async function beginAndCommit<T>(
    work: (transaction: Tx) => Promise<T>,
    onBroken: ((error: unknown) => void) | undefined,
    commits: boolean,
  ): Promise<T> {
    let done: { result: T } | undefined;
    const began = store.begin(async (transaction) => {
      done = { result: await work(transaction) };
      if (!commits) throw new Error('rolled back');
    }, onBroken);
    await began.catch(() => undefined);
    if (done === undefined) throw new Error('the work has thrown');
    return done.result;
  }

  const write = (tx: Tx): Promise<unknown> => tx`insert into effects (id) values ('done')`.execute();
  const effects = async (): Promise<number> => (await sql`select from effects`).length;

  it('that waits for a connection: the handler starts once the database has answered', async () => {
    const extend = vi.fn<typeof store.extend>((...args) => store.extend(...args));
    const handleOnce = worker({
      extend,
      begin: (work, onBroken) =>
        store.begin(async (transaction) => {
          time.setWallClock(STEP_MS);
          return await work(transaction);
        }, onBroken),
    });
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx));
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(extend).toHaveBeenCalledTimes(1);
    expect(await effects()).toBe(1);
  });

  it('whose handler sees that, and takes some seconds to end', async () => {
    const handleOnce = worker({});
    const read = gate();
    const mayEnd = gate();
    const outcome = handleOnce.inTransaction('key', 'body', async (_, { signal }, tx) => {
      await write(tx);
      time.setWallClock(STEP_MS);
      expect(signal.aborted).toBe(true);
      read.open();
      await mayEnd.opened;
      signal.throwIfAborted();
    });
    await read.opened;
    await time.advance(LEASE_MS / 2);
    mayEnd.open();
    expect(await outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 0 });
    expect(await effects()).toBe(0);
  });

  it('that settles: nothing is asked beside it, and the signal does not abort', async () => {
    const extend = vi.fn<typeof store.extend>((...args) => store.extend(...args));
    const hasAborted = vi.fn();
    const settles = gate();
    const mayEnd = gate();
    const handleOnce = worker({
      extend,
      async settleLast(...args) {
        time.setWallClock(STEP_MS);
        settles.open();
        await mayEnd.opened;
        return await store.settleLast(...args);
      },
    });
    const outcome = handleOnce.inTransaction('key', 'body', async (_, { signal }, tx) => {
      signal.addEventListener('abort', hasAborted);
      await write(tx);
    });
    await settles.opened;
    await time.advance(LEASE_MS / 2);
    expect(extend).not.toHaveBeenCalled();
    expect(hasAborted).not.toHaveBeenCalled();
    mayEnd.open();
    expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await effects()).toBe(1);
  });

  it.each([true, false])('whose COMMIT gets no answer, and was done: %s', async (isDone) => {
    const lost = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
    let asked = 0;
    const handleOnce = worker({
      settleLast: (...args) => (isDone ? store.settleLast(...args) : neverSent(...args)),
      async begin(work, onBroken) {
        await beginAndCommit(work, onBroken, isDone);
        time.setWallClock(STEP_MS);
        throw lost;
      },
      async extend(...args) {
        asked += 1;
        // The answer to the first question is lost too.
        if (asked === 1) throw new StoreError('the reply was lost', { retriable: true });
        return await store.extend(...args);
      },
    });
    const outcome = handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx));
    await until(() => asked > 0);
    await time.advance(150);
    // What is not committed has failed as a connection that breaks does: nothing of it is there.
    expect(await outcome).toMatchObject(
      isDone ? { state: 'succeeded', attempts: 1 } : { state: 'failed', attempts: 1 },
    );
    expect(await effects()).toBe(isDone ? 1 : 0);
  });

  it('whose COMMIT is answered with a rollback, while another has taken the message over', async () => {
    const other = createPostgresStore<Tx>(sql, 'handle_once');
    const scope = `set-${scopes + 1}`;
    const terms = {
      ...{ scope, leaseMs: LEASE_MS, maxAttempts: 9, maxDeaths: 9, failedRetentionMs: LEASE_MS },
      mayOwnSuspects: true,
    };
    const token = '00000000-0000-4000-8000-000000000000';
    const handleOnce = worker({
      tellsRollback: false,
      settleLast: neverSent,
      async begin(work, onBroken) {
        const result = await beginAndCommit(work, onBroken, false);
        // As a machine that was suspended: another worker has the message by now.
        await bench.pass(LEASE_MS + 1);
        await other.claim([{ key: 'key', token, fingerprint: '' }], terms);
        time.setWallClock(STEP_MS);
        return result;
      },
    });
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx));
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', error: { code: '25P02' } });
    expect(await effects()).toBe(0);
  });
});
