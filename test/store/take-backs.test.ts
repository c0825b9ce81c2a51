import { expect, test } from 'vitest';
import type { ClaimReply, SettleReply, SettleRequest } from '../../src/store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTakeBacks } from '../../src/store/take-backs.ts';
import { expectSoon, until } from '../support/until.ts';

const LEASE_MS = 200;
const CLAIMED: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };
const EXHAUSTED: ClaimReply = {
  ...{ kind: 'failed', attempts: 1, reason: 'deaths-exhausted' },
  ...{ error: null, replayed: false },
};

type Answer = (request: SettleRequest) => SettleReply | 'unreachable';

function takeBacksOver(answer: Answer, answered = Promise.resolve()) {
  const asked: string[][] = [];
  const takenBack: string[] = [];
  const takeBacks = createTakeBacks({
    leaseMs: LEASE_MS,
    clock: systemClock,
    async settle(requests) {
      asked.push(requests.map(({ token }) => token));
      const replies = requests.map(answer);
      await answered;
      if (replies.includes('unreachable')) throw new Error('unreachable');
      return replies as SettleReply[];
    },
    onTakenBack: (key) => takenBack.push(key),
  });
  return { takeBacks, asked, takenBack };
}

const claim = (key: string, token = `token of ${key}`) => ({ key, token, fingerprint: '' });
const never = new Promise<ClaimReply[]>(() => undefined);

test('a claim is looked for until it has been found, and then no more', async () => {
  let landed = false;
  const { takeBacks, asked, takenBack } = takeBacksOver(() => (landed ? 'settled' : 'lost'));
  takeBacks.watchStatement([claim('a')], never);
  await expectSoon(() => {
    expect(asked.length).toBeGreaterThan(1);
  });
  landed = true;
  await expectSoon(() => {
    expect(takenBack).toEqual(['a']);
  });
  expect(takeBacks.releaseNow('a')).toBeUndefined();
});

test('a claim that comes while the store is asked for others is looked for, however late the answer', async () => {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { takeBacks, takenBack } = takeBacksOver(() => 'settled', answered);
  takeBacks.watchStatement([claim('a')], never);
  takeBacks.watchStatement([claim('b')], never);
  const startedAt = performance.now();
  await until(() => performance.now() - startedAt > 2 * LEASE_MS);
  answer();
  await expectSoon(() => {
    expect(takenBack).toEqual(['a', 'b']);
  });
});

test('a claim that is never found is given up one lease after its statement', async () => {
  const { takeBacks, takenBack } = takeBacksOver(() => 'lost');
  takeBacks.watchStatement([claim('a')], Promise.reject(new Error('the connection broke')));
  await expectSoon(() => {
    expect(takeBacks.releaseNow('a')).toBeUndefined();
  });
  expect(takenBack).toEqual([]);
});

test('a late reply that is no claim ends the look', async () => {
  const { takeBacks, asked } = takeBacksOver(() => 'lost');
  takeBacks.watchStatement([claim('a')], Promise.resolve<ClaimReply[]>([{ kind: 'mismatch' }]));
  await expectSoon(() => {
    expect(takeBacks.releaseNow('a')).toBeUndefined();
  });
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('a claim that has failed its record is not taken back, and is told of once', async () => {
  const { takeBacks, asked, takenBack } = takeBacksOver(() => 'failed');
  takeBacks.watchStatement([claim('a')], Promise.resolve<ClaimReply[]>([EXHAUSTED]));
  await expectSoon(() => {
    expect(takeBacks.hasFailed('a')).toBe(true);
  });
  expect(takeBacks.hasFailed('a')).toBe(false);
  await expectSoon(() => {
    expect(takeBacks.releaseNow('a')).toBeUndefined();
  });
  expect(takenBack).toEqual([]);
  expect(asked).toHaveLength(1);
});

test('a claim whose reply comes after the look has ended is taken back all the same', async () => {
  let arrive: (replies: ClaimReply[]) => void = () => undefined;
  const late = new Promise<ClaimReply[]>((resolve) => {
    arrive = resolve;
  });
  let landed = false;
  const { takeBacks, takenBack } = takeBacksOver(() => (landed ? 'settled' : 'lost'));
  takeBacks.watchStatement([claim('a')], late);
  await expectSoon(() => {
    expect(takeBacks.releaseNow('a')).toBeUndefined();
  });
  landed = true;
  arrive([CLAIMED]);
  await expectSoon(() => {
    expect(takenBack).toEqual(['a']);
  });
});

test('a claim is not given up while the store is out of reach, however long', async () => {
  let isUp = false;
  const { takeBacks, asked, takenBack } = takeBacksOver(() => (isUp ? 'settled' : 'unreachable'));
  const startedAt = performance.now();
  takeBacks.watch(claim('a'));
  await expectSoon(() => {
    expect(performance.now() - startedAt).toBeGreaterThan(2 * LEASE_MS);
  });
  const before = asked.length;
  await expectSoon(() => {
    expect(asked.length).toBeGreaterThan(before);
  });
  isUp = true;
  await expectSoon(() => {
    expect(takenBack).toEqual(['a']);
  });
});

test('a store that is out of reach is asked again', async () => {
  let isUp = false;
  const { takeBacks, takenBack } = takeBacksOver(() => (isUp ? 'settled' : 'unreachable'));
  takeBacks.watch(claim('a'));
  await expect(takeBacks.releaseNow('a')).rejects.toThrow('unreachable');
  isUp = true;
  await expectSoon(() => {
    expect(takenBack).toEqual(['a']);
  });
});

test('two claims of one key go in two statements, and many keys in several', async () => {
  const { takeBacks, asked, takenBack } = takeBacksOver(() => 'settled');
  takeBacks.watchStatement([claim('a', 'one')], never);
  takeBacks.watchStatement([claim('a', 'two')], never);
  takeBacks.watchStatement(
    Array.from({ length: 1_200 }, (_, index) => claim(`key-${index}`)),
    never,
  );
  await expectSoon(() => {
    expect(takenBack).toHaveLength(1_202);
  });
  for (const tokens of asked) expect(tokens.length).toBeLessThanOrEqual(500);
});

test('all lost claims of a key are taken back before it is claimed again', async () => {
  let isUp = false;
  const { takeBacks, asked } = takeBacksOver(() => (isUp ? 'settled' : 'unreachable'));
  takeBacks.watch(claim('a', 'one'));
  takeBacks.watch(claim('a', 'two'));
  isUp = true;
  asked.length = 0;
  await takeBacks.releaseNow('a');
  expect(asked).toEqual([['one'], ['two']]);
  expect(takeBacks.releaseNow('a')).toBeUndefined();
});

test('no more than ten thousand are kept: the oldest are left to their leases', async () => {
  const { takeBacks } = takeBacksOver(() => 'unreachable');
  for (let index = 0; index <= 10_000; index += 1) takeBacks.watch(claim(`key-${index}`));
  expect(takeBacks.releaseNow('key-0')).toBeUndefined();
  await expect(takeBacks.releaseNow('key-10000')).rejects.toThrow('unreachable');
});
