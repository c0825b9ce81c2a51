import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHandleOnce, type HandleOnce, StoreError } from '../../src/index.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { usePostgresBench } from './support/bench.ts';
import { type Fault, flakyStore, losesReply, refusesForGood } from './support/flaky-store.ts';

const LOST = new StoreError('the connection broke', { retriable: true });

/** The statement is lost to its sender, and reaches the store later. */
function landsAfter(milliseconds: number): Fault {
  return (send) => {
    setTimeout(() => void send(), milliseconds);
    return Promise.reject(LOST);
  };
}

/** The statement is done at once, and its reply comes later. */
function repliesAfter(milliseconds: number): Fault {
  return async (send) => {
    const reply = await send();
    await sleep(milliseconds);
    return reply;
  };
}

/** As a broker does: what throws or is not over comes again. */
async function redelivered(handleOnce: HandleOnce, key: string, handler: () => unknown) {
  for (;;) {
    const outcome = await handleOnce(key, 'body', handler).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
    if (outcome !== undefined && outcome.state !== 'pending') return outcome;
    await sleep(50);
  }
}

const { database } = usePostgresBench();

it('a claim that landed is taken back when another statement of its batch fails', async () => {
  const { sql } = database;
  let isBroken = false;
  const unsafe: PostgresClient['unsafe'] = (...query) => {
    if (!isBroken || !query[0].includes('do update')) return sql.unsafe(...query);
    isBroken = false;
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return { raw: () => Promise.reject(refused) };
  };
  const client: PostgresClient = { unsafe, begin: () => Promise.reject(new Error('not needed')) };
  const handleOnce = createHandleOnce({ sql: client, scope: 'half', maxDeaths: 1, backoff: () => 0 });
  await handleOnce('old', 'body', () => Promise.reject(new Error('later')));
  isBroken = true;
  const outcomes = await Promise.all(['new', 'old'].map((key) => handleOnce(key, 'body', () => key)));
  expect(outcomes).toMatchObject([
    { state: 'succeeded', attempts: 1 },
    { state: 'succeeded', attempts: 2 },
  ]);
  expect(handleOnce.counts()).toMatchObject({ 'taken-back': 1 });
});

describe('a claim that was given up on', () => {
  const bench = usePostgresBench();

  it.each([
    ['lands before its release', landsAfter(0)],
    ['lands after a release that found nothing', landsAfter(400)],
    ['landed, and its reply comes late', repliesAfter(1_100)],
  ])('counts nothing when it %s', async (_, fault) => {
    const store = flakyStore(bench.store, { claim: [fault, fault] });
    const handleOnce = bench.handleOnce({ store, leaseMs: 1_500, maxAttempts: 1, maxDeaths: 1 });
    await expect(handleOnce('key', 'body', vi.fn())).rejects.toBeInstanceOf(StoreError);
    await vi.waitFor(() => {
      expect(handleOnce.counts()['taken-back']).toBeGreaterThanOrEqual(1);
    }, 10_000);
    const handler = vi.fn();
    expect(await redelivered(handleOnce, 'key', handler)).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('does not keep our own next claim waiting', async () => {
    const store = flakyStore(bench.store, { claim: [losesReply, losesReply] });
    const handleOnce = bench.handleOnce({ store, leaseMs: 60_000 });
    await expect(handleOnce('key', 'body', vi.fn())).rejects.toBeInstanceOf(StoreError);
    expect(await handleOnce('key', 'body', () => 'ran')).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it.each([
    ['once', [losesReply]],
    ['twice', [losesReply, losesReply]],
    ['once, and its reply comes late', [repliesAfter(1_100)]],
  ])('is told as failed, once, when it found the deaths used up and was lost %s', async (times, claim) => {
    const options = { scope: `lost ${times}`, maxDeaths: 1, leaseMs: 3_000 };
    const dying = bench.handleOnce({
      ...options,
      store: flakyStore(bench.store, { settle: refusesForGood }),
    });
    await dying('key', 'body', vi.fn());
    await bench.pass(3_001);
    const handleOnce = bench.handleOnce({ ...options, store: flakyStore(bench.store, { claim }) });
    const handler = vi.fn();
    expect(await redelivered(handleOnce, 'key', handler)).toMatchObject({
      ...{ state: 'failed', reason: 'deaths-exhausted', replayed: false },
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ state: 'failed', replayed: true });
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toEqual({ 'store-error': claim.length, failed: 1, replayed: 1 });
  });

  it('is not taken from another worker that owns the message meanwhile', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const isLate: Fault = (send) => {
      late.push(send);
      return Promise.reject(LOST);
    };
    const store = flakyStore(bench.store, { claim: [isLate, isLate] });
    const handleOnce = bench.handleOnce({ scope: 'shared', store, leaseMs: 1_500 });
    const other = bench.handleOnce({ scope: 'shared', leaseMs: 60_000 });
    await expect(handleOnce('key', 'body', vi.fn())).rejects.toBeInstanceOf(StoreError);
    const outcome = await other('key', 'body', async () => {
      await Promise.all(late.map((send) => send()));
      await sleep(500);
      expect(await handleOnce('key', 'body', vi.fn())).toMatchObject({ reason: 'in-flight' });
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
  });
});

describe('a database whose replies are later than the lease', () => {
  const { database } = usePostgresBench();

  it('fails no message: each runs once, at attempt 1, when replies are in time again', async () => {
    const url = new URL(database.url);
    const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
    onTestFinished(() => proxy.cut());
    url.port = String(proxy.port);
    const sql = postgres(url.href, { fetch_types: false });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const handleOnce = createHandleOnce({ sql, scope: 'late', leaseMs: 1_200, maxAttempts: 3, maxDeaths: 2 });
    await handleOnce('first', 'body', vi.fn());

    proxy.delayReplies(2_000);
    const handler = vi.fn();
    const keys = Array.from({ length: 20 }, (_, index) => `message-${index}`);
    const outcomes = Promise.all(keys.map((key) => redelivered(handleOnce, key, handler)));
    await vi.waitFor(
      () => {
        expect(handleOnce.counts()['store-error']).toBeGreaterThan(40);
      },
      { timeout: 20_000 },
    );
    expect(handler).not.toHaveBeenCalled();

    proxy.delayReplies(0);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(handler).toHaveBeenCalledTimes(keys.length);
  }, 60_000);
});
