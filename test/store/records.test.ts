import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ClaimReply, SettleReply, Store } from '../../src/store.ts';
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
const CLAIMED: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, deadToken: null };

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
