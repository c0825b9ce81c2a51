import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from 'handle-once';
import { describe, expect, test, vi } from 'vitest';
import type { ClaimReply, ClaimRequest, SettleReply, Store } from '../../src/store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createRecords } from '../../src/store/records.ts';
import { trafficOf } from '../../src/store/traffic.ts';
import { type Gate, gate } from '../support/gate.ts';
import { recordsOf } from './support/records-of.ts';
import { ALICE, BOB, PAYLOAD } from '../../testing/contracts/store/actor.ts';
import { createMemoryStore } from '../../testing/memory/memory.ts';

const TERMS = {
  scope: 's',
  leaseMs: 30_000,
  maxAttempts: 1,
  maxDeaths: 5,
  failedRetentionMs: 30_000,
  mayOwnSuspects: false,
};
const CLAIMED: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };

/** A store that keeps what it was sent in each statement, and answers when it is told to. */
function slowStore() {
  const sent: string[][] = [];
  const answers: (() => void)[] = [];
  const answer = <Reply>(requests: readonly { key: string }[], reply: Reply): Promise<Reply[]> => {
    sent.push(requests.map(({ key }) => key));
    return new Promise((resolve) => {
      answers.push(() => {
        resolve(requests.map(() => reply));
      });
    });
  };
  const store: Store = {
    claim: (requests) => answer(requests, CLAIMED),
    settle: (requests) => answer<SettleReply>(requests, 'settled'),
    extend: () => Promise.resolve([]),
  };
  return {
    store,
    sent,
    answerAll: () => {
      for (const tell of answers) tell();
    },
  };
}

const claimOf = (key: string) => ({ key, token: ALICE, fingerprint: PAYLOAD });
const succeedOf = (key: string, result: string) => ({
  key,
  token: ALICE,
  settlement: { kind: 'succeed' as const, result, resultOmitted: null, retentionMs: 60_000 },
});

describe('concurrent calls', () => {
  test('share statements', async () => {
    const { store, sent, answerAll } = slowStore();
    const records = recordsOf(store, TERMS);
    const claims = ['a', 'b', 'c'].map((key) => records.claim(claimOf(key)));
    await turn();
    expect(sent).toEqual([['a', 'b', 'c']]);
    answerAll();
    expect(await Promise.all(claims)).toEqual([CLAIMED, CLAIMED, CLAIMED]);
  });

  test('without batching each have one of their own, at once', async () => {
    const { store, sent, answerAll } = slowStore();
    const records = recordsOf(store, TERMS, { batching: false });
    const claims = ['a', 'b', 'c'].map((key) => records.claim(claimOf(key)));
    const settles = ['a', 'b'].map((key) => records.settle(succeedOf(key, '1')));
    await turn();
    expect(sent).toEqual([['a'], ['b'], ['c'], ['a'], ['b']]);
    answerAll();
    expect(await Promise.all(claims)).toEqual([CLAIMED, CLAIMED, CLAIMED]);
    expect(await Promise.all(settles)).toEqual(['settled', 'settled']);
  });

  test('that share statements each store and replay a result of their own', async () => {
    const store = createMemoryStore();
    const records = recordsOf(store, TERMS);
    const keys = ['a', 'b', 'c', 'd'];
    await Promise.all(keys.map((key) => records.claim(claimOf(key))));
    await Promise.all(keys.map((key) => records.settle(succeedOf(key, JSON.stringify(key)))));
    const replays = await Promise.all(keys.map((key) => records.claim({ ...claimOf(key), token: BOB })));
    expect(replays).toMatchObject(keys.map((key) => ({ kind: 'succeeded', result: JSON.stringify(key) })));
  });

  test('do not wait for a large result, nor it for them', async () => {
    const { store, sent, answerAll } = slowStore();
    const records = recordsOf(store, TERMS);
    const settles: Promise<SettleReply>[] = [];
    for (const key of ['in', 'the air']) {
      settles.push(records.settle(succeedOf(key, '1')));
      await turn();
    }
    settles.push(records.settle(succeedOf('waits', '1')));
    settles.push(records.settle(succeedOf('large', 'x'.repeat(16_385))));
    settles.push(records.settle(succeedOf('not large', 'x'.repeat(16_384))));
    await turn();
    expect(sent).toEqual([['in'], ['the air'], ['large']]);
    answerAll();
    await settles[3];
    await Promise.all(settles.slice(0, 2));
    await turn();
    answerAll();
    expect(await Promise.all(settles)).toHaveLength(5);
    expect(sent).toEqual([['in'], ['the air'], ['large'], ['waits', 'not large']]);
  });
});

describe('a claim', () => {
  /** A store whose claims are answered as it is told, and that keeps what it was asked to release. */
  function storeThat(
    answer: (keys: readonly string[]) => Promise<ClaimReply[]>,
    release: SettleReply = 'settled',
  ) {
    const released: string[] = [];
    const store: Store = {
      claim: (requests: readonly ClaimRequest[]) => answer(requests.map(({ key }) => key)),
      settle(requests) {
        released.push(...requests.map(({ key }) => key));
        return Promise.resolve(requests.map(() => release));
      },
      extend: () => Promise.resolve([]),
    };
    return { store, released };
  }

  const refused = new StoreError('no', { retriable: false, dataRefused: true });
  const claimed = (keys: readonly string[]) => Promise.resolve(keys.map(() => CLAIMED));

  test('that is refused fails alone: those beside it are sent again, and began with the first statement', async () => {
    const sentAt: number[] = [];
    let time = 0;
    const { store, released } = storeThat((keys) => {
      sentAt.push(time);
      return keys.includes('bad') ? Promise.reject(refused) : claimed(keys);
    });
    const clock = { ...systemClock, monotonic: () => (time += 1) };
    const traffic = trafficOf(store);
    const records = createRecords(store, TERMS, {
      batching: true,
      traffic,
      clock,
      onTakenBack: () => undefined,
    });
    const replies = await Promise.allSettled(['a', 'bad', 'b'].map((key) => records.claim(claimOf(key))));
    const began = { monotonicMs: sentAt[0], wallMs: expect.any(Number) as number };
    expect(replies).toEqual([
      { status: 'fulfilled', value: { reply: CLAIMED, sentAt: began } },
      { status: 'rejected', reason: refused },
      { status: 'fulfilled', value: { reply: CLAIMED, sentAt: began } },
    ]);
    expect(released).toEqual([]);
  });

  test.each([
    ['may have landed', new StoreError('gone', { retriable: true, mayHaveLanded: true }), ['a']],
    ['was never sent', new StoreError('gone', { retriable: true, mayHaveLanded: false }), []],
    ['may have, for all that is known of the error,', new TypeError('of a store of your own'), ['a']],
  ])('without a reply that %s is taken back, or not', async (_, error, takenBack) => {
    const { store, released } = storeThat(() => Promise.reject(error));
    await expect(recordsOf(store, TERMS).claim(claimOf('a'))).rejects.toBe(error);
    await turn();
    expect(released).toEqual(takenBack);
  });

  test('is not sent while a lost one before it cannot be taken back', async () => {
    let claims = 0;
    let isUp = false;
    const lost = new StoreError('gone', { retriable: true });
    const answer = (keys: readonly string[]) => {
      claims += 1;
      return isUp ? claimed(keys) : Promise.reject(lost);
    };
    const { store } = storeThat(answer);
    const records = recordsOf(
      { ...store, settle: (...call) => (isUp ? store.settle(...call) : Promise.reject(lost)) },
      TERMS,
    );
    await expect(records.claim(claimOf('a'))).rejects.toBe(lost);
    await expect(records.claim(claimOf('a'))).rejects.toBe(lost);
    expect(claims).toBe(1);
    isUp = true;
    expect([await records.claim(claimOf('a')), claims]).toEqual([CLAIMED, 2]);
  });

  test('is the first to report that a lost one before it has failed the record', async () => {
    const failed: ClaimReply = {
      ...{ kind: 'failed', attempts: 1, reason: 'deaths-exhausted' },
      ...{ error: null, replayed: true },
    };
    let claims = 0;
    const lost = new StoreError('gone', { retriable: true });
    const { store } = storeThat(
      () => (claims++ === 0 ? Promise.reject(lost) : Promise.resolve([failed])),
      'failed',
    );
    const records = recordsOf(store, TERMS);
    await expect(records.claim(claimOf('a'))).rejects.toBe(lost);
    expect(await records.claim(claimOf('a'))).toEqual({ ...failed, replayed: false });
    expect(await records.claim(claimOf('a'))).toEqual(failed);
  });
});

test('no claim is sent from when a thousand settles have no reply until half of them have', async () => {
  const client = {};
  const traffic = trafficOf(client);
  let claims = 0;
  const claim = () => {
    const { claim: room } = trafficOf(client);
    room.enter(() => {
      claims += 1;
      room.leave();
    });
    return claims;
  };
  const settles = Array.from({ length: 1_000 }, gate);
  const send = ({ opened }: Gate) => traffic.trackUnanswered(() => opened);
  const answer = async (some: readonly Gate[]) => {
    for (const { open } of some) open();
    await turn();
  };
  const sent = settles.slice(1).map(send);
  expect(claim()).toBe(1);
  sent.push(...settles.slice(0, 1).map(send));
  expect(claim()).toBe(1);
  await answer(settles.slice(0, 499));
  expect(claims).toBe(1);
  await answer(settles.slice(499, 500));
  expect(claims).toBe(2);
  expect(claim()).toBe(3);
  await answer(settles);
  await Promise.all(sent);
});

test('a lookup is the answer of the store for the scope, where the store can look', async () => {
  const { store } = slowStore();
  expect(recordsOf(store, TERMS).lookup).toBeUndefined();
  const lookup = (...asked: string[]) =>
    Promise.resolve({ kind: 'unreadable' as const, attempts: asked.length });
  const looked = vi.fn(lookup);
  expect(await recordsOf({ ...store, lookup: looked }, TERMS).lookup?.('a')).toEqual({
    kind: 'unreadable',
    attempts: 2,
  });
  expect(looked).toHaveBeenCalledWith('a', TERMS.scope);
});

test('a check of the store fails as it does, and passes where there is none', async () => {
  const { store } = slowStore();
  await recordsOf(store, TERMS).check();
  const error = new StoreError('down', { retriable: true });
  await expect(recordsOf({ ...store, check: () => Promise.reject(error) }, TERMS).check()).rejects.toBe(
    error,
  );
});
