import { expect, test } from 'vitest';
import { type HandleOnceEvent, RetryableError } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { memoryBench } from './support/bench.ts';

const HOUR = 3_600_000;
const bench = memoryBench();

function notYet(options?: { readonly retryAfterMs: number }): never {
  throw new RetryableError('the order is not here yet', { ...options, counted: false });
}

test('what is deferred is claimable after its time, and no attempt is counted', async () => {
  const events: HandleOnceEvent[] = [];
  const handleOnce = bench.handleOnce({ onEvent: (event) => events.push(event) });
  const seen: object[] = [];
  const call = (deferredMs?: number) =>
    handleOnce('key', 'body', (_, { number, ageMs }) => {
      seen.push({ number, hours: Math.floor(ageMs / HOUR) });
      return deferredMs === undefined ? 'done' : notYet({ retryAfterMs: deferredMs });
    });
  for (let round = 0; round < 20; round += 1) {
    const outcome = await call(HOUR);
    expect(outcome).toMatchObject({ state: 'pending', reason: 'deferred', retryAfterMs: HOUR, attempts: 0 });
    await bench.pass(HOUR);
  }
  expect(await call()).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect(seen).toEqual(Array.from({ length: 21 }, (_, round) => ({ number: 1, hours: round })));
  expect(events.filter(({ type }) => type !== 'claimed').map(({ type }) => type)).toEqual([
    ...Array.from({ length: 20 }, () => 'deferred'),
    'succeeded',
  ]);
  expect(events[1]).toMatchObject({ type: 'deferred', attempts: 0, retryAfterMs: HOUR });
});

test('a deferral neither moves the backoff of failures nor counts towards their limit', async () => {
  const backoff = (failures: number): number => failures * 1_000;
  const handleOnce = bench.handleOnce({ backoff, maxAttempts: 3 });
  const ends: (() => never)[] = [fail, notYet, notYet, fail, notYet, fail];
  const found: unknown[] = [];
  for (const end of ends) {
    const outcome = await handleOnce('key', 'body', end);
    found.push(outcome.state === 'pending' ? outcome.retryAfterMs : [outcome.state, outcome.attempts]);
    await bench.pass(10_000);
  }
  expect(found).toEqual([1_000, 2_000, 2_000, 2_000, 3_000, ['failed', 3]]);
});

test('a deferral ends the deaths in a row', async () => {
  const store = createMemoryStore();
  const handleOnce = bench.handleOnce({ store, maxDeaths: 2, leaseMs: 1_000 });
  const { scope } = handleOnce.settings;
  const terms = {
    scope,
    leaseMs: 1_000,
    maxAttempts: 9,
    maxDeaths: 2,
    failedRetentionMs: HOUR,
    mayOwnSuspects: true,
  };
  const die = async (token: string): Promise<void> => {
    await store.claim([{ key: 'key', token, fingerprint: '' }], terms);
    store.advance(1_000);
  };
  await die('1');
  expect(await handleOnce('key', 'body', () => notYet({ retryAfterMs: 0 }))).toMatchObject({ attempts: 1 });
  await die('2');
  expect(await handleOnce('key', 'body', () => 'done')).toMatchObject({ state: 'succeeded', attempts: 3 });
});

test.each([
  ['maxDeferredMs', { maxDeferredMs: 2 * HOUR }],
  ['the retention of failed records', { failedRetentionMs: 2 * HOUR }],
])('from %s on a deferral is a failure', async (_, options) => {
  const handleOnce = bench.handleOnce({ ...options, maxAttempts: 2 });
  const ends: unknown[] = [];
  for (let round = 0; round < 4; round += 1) {
    const outcome = await handleOnce('key', 'body', () => notYet({ retryAfterMs: 0 }));
    ends.push([outcome.state, outcome.attempts]);
    await bench.pass(HOUR);
  }
  expect(ends).toEqual([
    ['pending', 0],
    ['pending', 0],
    ['pending', 1],
    ['failed', 2],
  ]);
});

function fail(): never {
  throw new Error('no such card');
}
