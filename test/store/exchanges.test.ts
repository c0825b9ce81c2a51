import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../src/index.ts';
import type { ClaimReply, Exchanged, SettleReply, Store } from '../../src/store.ts';
import { trafficOf } from '../../src/store/traffic.ts';
import { ALICE, PAYLOAD } from '../../src/store/contract/actor.ts';
import { expectSoon } from '../support/until.ts';
import { recordsOf } from './support/records-of.ts';

const FROM = 2;
const TERMS = {
  ...{ scope: 's', leaseMs: 30_000, maxAttempts: 1, maxDeaths: 5, failedRetentionMs: 30_000 },
  mayOwnSuspects: false,
};
const CLAIMED: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, deadToken: null };
const REFUSED = new StoreError('a record is locked', { retriable: true, mayHaveLanded: false });
const LOST = new StoreError('the connection broke', { retriable: true });

interface Call {
  readonly verb: 'claim' | 'settle' | 'exchange';
  /** Of an exchange the claims before a bar, and the settles behind it. */
  readonly keys: string;
  answer(replies?: unknown): void;
  fail(error: Error): void;
}

/** A store with an exchange, which answers each call when it is told to. */
function slowStore() {
  const calls: Call[] = [];
  const asked = <Reply>(verb: Call['verb'], keys: string, usual: Reply): Promise<Reply> =>
    new Promise((resolve, reject) => {
      calls.push({
        verb,
        keys,
        answer: (replies = usual) => {
          resolve(replies as Reply);
        },
        fail: reject,
      });
    });
  const keysOf = (requests: readonly { key: string }[]) => requests.map(({ key }) => key).join(' ');
  const store: Store = {
    claim: (requests) =>
      asked(
        'claim',
        keysOf(requests),
        requests.map(() => CLAIMED),
      ),
    settle: (requests) =>
      asked<SettleReply[]>(
        'settle',
        keysOf(requests),
        requests.map(() => 'settled'),
      ),
    extend: () => Promise.resolve([]),
    exchange: {
      from: FROM,
      send: (claims, settles) =>
        asked<Exchanged>('exchange', `${keysOf(claims)} | ${keysOf(settles)}`, {
          claims: claims.map(() => CLAIMED),
          settles: settles.map(() => 'settled'),
        }),
    },
  };
  return { store, calls, sent: () => calls.map(({ verb, keys }) => `${verb} ${keys}`) };
}

const claimOf = (key: string) => ({ key, token: ALICE, fingerprint: PAYLOAD });
const succeedOf = (key: string, result = '1') => ({
  key,
  token: ALICE,
  settlement: { kind: 'succeed' as const, result, resultOmitted: null, retentionMs: 1 },
});

/** Claims and settles of one moment. */
function both(claims: string, settles: string, options: Parameters<typeof recordsOf>[2] = {}) {
  const slow = slowStore();
  const records = recordsOf(slow.store, TERMS, options);
  const ask = (keysToSettle: string, keysToClaim: string) => ({
    settled: Promise.allSettled(
      keysToSettle
        .split(' ')
        .filter(Boolean)
        .map((key) => records.settle(succeedOf(key))),
    ),
    claimed: Promise.allSettled(
      keysToClaim
        .split(' ')
        .filter(Boolean)
        .map((key) => records.claim(claimOf(key))),
    ),
  });
  return { ...slow, records, ask, ...ask(settles, claims) };
}

/** Calls that a test leaves without an answer. */
function ignored(...calls: Promise<unknown>[]): void {
  void Promise.allSettled(calls);
}

const value = (one: unknown) => ({ status: 'fulfilled', value: one });
const reason = (one: unknown) => ({ status: 'rejected', reason: one });

describe('claims and settles of one moment', () => {
  test('share a statement, and each gets its own answer', async () => {
    const { calls, sent, claimed, settled } = both('a b', 'c d');
    await turn();
    expect(sent()).toEqual(['exchange a b | c d']);
    calls[0]?.answer({ claims: [CLAIMED, { kind: 'mismatch' }], settles: ['settled', 'lost'] });
    expect(await claimed).toEqual([value(CLAIMED), value({ kind: 'mismatch' })]);
    expect(await settled).toEqual([value('settled'), value('lost')]);
  });

  test.each([
    ['claims', 'a', 'c d', ['claim a', 'settle c d']],
    ['settles', 'a b', 'c', ['claim a b', 'settle c']],
    ['of both', 'a', 'c', ['claim a', 'settle c']],
  ])('go side by side where there are few %s', async (_, claims, settles, expected) => {
    const { sent } = both(claims, settles);
    await turn();
    expect(sent()).toEqual(expected);
  });

  test('go side by side in statements of their own without batching', async () => {
    const { sent } = both('a b', 'c d', { batching: false });
    await turn();
    expect(sent()).toEqual(['settle c', 'settle d', 'claim a', 'claim b']);
  });

  test('go side by side to a store without an exchange', async () => {
    const { store, sent } = slowStore();
    const without = { ...store };
    delete without.exchange;
    const records = recordsOf(without, TERMS);
    ignored(...['c', 'd'].map((key) => records.settle(succeedOf(key))));
    ignored(...['a', 'b'].map((key) => records.claim(claimOf(key))));
    await turn();
    expect(sent().toSorted()).toEqual(['claim a b', 'settle c d']);
  });

  test('leave a large result to a statement of its own', async () => {
    const { records, sent } = both('a b', 'c d');
    ignored(records.settle(succeedOf('large', 'x'.repeat(16_385))));
    await turn();
    expect(sent().toSorted()).toEqual(['exchange a b | c d', 'settle large']);
  });

  test('may have the same key', async () => {
    const { calls, sent, claimed, settled } = both('a b', 'b c');
    await turn();
    expect(sent()).toEqual(['exchange a b | b c']);
    calls[0]?.answer();
    expect(await claimed).toEqual([value(CLAIMED), value(CLAIMED)]);
    expect(await settled).toEqual([value('settled'), value('settled')]);
  });
});

test('settles go while claims may not', async () => {
  const { store, sent } = slowStore();
  const records = recordsOf(store, TERMS);
  trafficOf(store).claim.setShut(true);
  ignored(...['a', 'b'].map((key) => records.claim(claimOf(key))));
  ignored(...['c', 'd'].map((key) => records.settle(succeedOf(key))));
  await turn();
  expect(sent()).toEqual(['settle c d']);
  trafficOf(store).claim.setShut(false);
  expect(sent()).toEqual(['settle c d', 'claim a b']);
});

test('what an exchange leaves without an answer is sent by its own verb, and keeps no other waiting', async () => {
  const { calls, sent, claimed, settled, ask } = both('a b', 'c d');
  await turn();
  calls[0]?.answer({ claims: [undefined, CLAIMED], settles: ['settled', undefined] });
  await turn();
  expect(sent()).toEqual(['exchange a b | c d', 'settle d', 'claim a']);
  // More of both goes meanwhile, and takes nothing along that was left.
  const more = ask('g h', 'e f');
  await turn();
  expect(sent().slice(3)).toEqual(['exchange e f | g h']);
  calls[3]?.answer();
  expect(await more.settled).toEqual([value('settled'), value('settled')]);
  calls[1]?.answer(['lost']);
  calls[2]?.answer([{ kind: 'mismatch' }]);
  expect(await claimed).toEqual([value({ kind: 'mismatch' }), value(CLAIMED)]);
  expect(await settled).toEqual([value('settled'), value('lost')]);
});

describe('an exchange that was refused', () => {
  test('is sent again at once, each kind by itself, and counted', async () => {
    const onSentApart = vi.fn();
    const { calls, sent, claimed, settled } = both('a b', 'c d', { onSentApart });
    await turn();
    calls[0]?.fail(REFUSED);
    await turn();
    expect(sent()).toEqual(['exchange a b | c d', 'settle c d', 'claim a b']);
    expect(onSentApart.mock.calls).toEqual([[4, REFUSED]]);
    calls[1]?.answer();
    expect(await settled).toEqual([value('settled'), value('settled')]);
    calls[2]?.answer();
    expect(await claimed).toEqual([value(CLAIMED), value(CLAIMED)]);
  });

  test('fails the requests of one kind alone, when they fail again', async () => {
    const { calls, claimed, settled } = both('a b', 'c d');
    await turn();
    calls[0]?.fail(REFUSED);
    await turn();
    calls[1]?.answer();
    calls[2]?.fail(REFUSED);
    expect(await settled).toEqual([value('settled'), value('settled')]);
    expect(await claimed).toEqual([reason(REFUSED), reason(REFUSED)]);
  });

  test('for one of its values fails that one alone', async () => {
    const refused = new StoreError('a value was refused', { retriable: false, dataRefused: true });
    const { calls, sent, claimed, settled } = both('a b', 'c bad');
    await turn();
    calls[0]?.fail(refused);
    await turn();
    calls[1]?.fail(refused);
    calls[2]?.answer();
    await turn();
    expect(sent()).toEqual(['exchange a b | c bad', 'settle c bad', 'claim a b', 'settle c', 'settle bad']);
    calls[3]?.answer();
    calls[4]?.fail(refused);
    expect(await claimed).toEqual([value(CLAIMED), value(CLAIMED)]);
    expect(await settled).toEqual([value('settled'), reason(refused)]);
  });
});

describe('an exchange whose reply is lost', () => {
  test('fails what it has asked, and its claims are taken back', async () => {
    const onSentApart = vi.fn();
    const { calls, sent, claimed, settled } = both('a b', 'c d', { onSentApart });
    await turn();
    calls[0]?.fail(LOST);
    expect(await claimed).toEqual([reason(LOST), reason(LOST)]);
    expect(await settled).toEqual([reason(LOST), reason(LOST)]);
    expect(onSentApart).not.toHaveBeenCalled();
    await turn();
    expect(sent()).toEqual(['exchange a b | c d', 'settle a']);
    calls[1]?.answer();
    await expectSoon(() => {
      expect(sent()).toContain('settle b');
    });
    calls[2]?.answer();
  });

  test('keeps a key from being claimed again before its claim is taken back', async () => {
    const { calls, records, sent } = both('a b', 'c d');
    await turn();
    calls[0]?.fail(LOST);
    await turn();
    const again = records.claim(claimOf('a'));
    await turn();
    expect(sent().filter((call) => call.startsWith('claim'))).toEqual([]);
    for (const call of calls.slice(1)) call.answer();
    await turn();
    await turn();
    calls.at(-1)?.answer();
    expect(await again).toEqual(CLAIMED);
  });
});
