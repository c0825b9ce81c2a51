import { expect, test } from 'vitest';
import { ALICE, BOB, LEASE, type NewActor, OTHER_PAYLOAD, PAYLOAD, TERMS } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

const KEYS = Array.from({ length: 300 }, (_, index) => `key-${(index * 7) % 300}`);

export function batchContract(newActor: NewActor): void {
  test('no requests get no answers', async () => {
    const { store, scope } = newActor();
    expect(await store.claim([], { scope, ...TERMS })).toEqual([]);
    expect(await store.settle([], scope)).toEqual([]);
    expect(await store.extend([], { scope, leaseMs: LEASE })).toEqual([]);
  });

  test('claims of one call are answered each, in their order', async () => {
    const actor = newActor();
    const { store, scope } = actor;
    await actor.claim('settled', ALICE);
    await actor.settle('settled', ALICE, succeeded('"s"'));
    await actor.claim('lapsed', ALICE);
    await actor.advance(LEASE);
    await actor.claim('owned', ALICE);
    await actor.claim('released', ALICE);
    await actor.settle('released', ALICE, released(null, LEASE));
    await actor.claim('another payload', ALICE);
    const keys = ['settled', 'absent', 'released', 'owned', 'lapsed'];
    const requests = [
      ...keys.map((key) => ({ key, token: BOB, fingerprint: PAYLOAD })),
      ...['new', 'another payload'].map((key) => ({ key, token: BOB, fingerprint: OTHER_PAYLOAD })),
    ];
    const replies = await store.claim(requests, { scope, ...TERMS });
    expect(replies).toMatchObject([
      { kind: 'succeeded', result: '"s"' },
      { kind: 'claimed', attempts: 1, failures: 0, deadToken: null },
      { kind: 'released' },
      { kind: 'in-flight' },
      { kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE },
      { kind: 'claimed', attempts: 1, failures: 0, deadToken: null },
      { kind: 'mismatch' },
    ]);
  });

  test('every claim of a call has its own token and its own payload', async () => {
    const actor = newActor();
    const requests = [
      { key: 'a', token: ALICE, fingerprint: PAYLOAD },
      { key: 'b', token: BOB, fingerprint: OTHER_PAYLOAD },
    ];
    await actor.store.claim(requests, { scope: actor.scope, ...TERMS });
    expect(await actor.claim('a', ALICE)).toMatchObject({ kind: 'claimed' });
    expect(await actor.claim('b', BOB, { fingerprint: OTHER_PAYLOAD })).toMatchObject({ kind: 'claimed' });
    expect(await actor.settle('a', BOB, succeeded())).toBe('lost');
    expect(await actor.settle('b', BOB, succeeded())).toBe('settled');
  });

  test('settles of one call apply each to its own key, and are answered in their order', async () => {
    const actor = newActor();
    await actor.claim('a', ALICE);
    await actor.claim('b', ALICE);
    await actor.claim('c', ALICE);
    await actor.claim('d', BOB);
    const replies = await actor.store.settle(
      [
        { key: 'd', token: ALICE, settlement: succeeded('"d"') },
        { key: 'c', token: ALICE, settlement: released('{"message":"c"}', LEASE) },
        { key: 'none', token: ALICE, settlement: succeeded('"none"') },
        { key: 'a', token: ALICE, settlement: succeeded('"a"') },
        { key: 'b', token: ALICE, settlement: failed('{"message":"b"}') },
      ],
      actor.scope,
    );
    expect(replies).toEqual(['lost', 'settled', 'lost', 'settled', 'settled']);
    expect(await actor.claim('a', BOB)).toMatchObject({ kind: 'succeeded', result: '"a"' });
    expect(await actor.claim('b', BOB)).toMatchObject({ kind: 'failed', error: '{"message":"b"}' });
    expect(await actor.claim('c', BOB)).toMatchObject({ kind: 'released', error: '{"message":"c"}' });
    expect(await actor.claim('d', ALICE)).toMatchObject({ kind: 'in-flight' });
  });

  test('extensions of one call are answered each, in their order', async () => {
    const actor = newActor();
    await actor.claim('mine', ALICE);
    await actor.claim('theirs', BOB);
    const requests = ['theirs', 'mine', 'none'].map((key) => ({ key, token: ALICE }));
    const replies = await actor.store.extend(requests, { scope: actor.scope, leaseMs: LEASE });
    expect(replies).toEqual(['lost', 'extended', 'lost']);
  });

  test('many keys in one call', async () => {
    const { store, scope } = newActor();
    const claims = KEYS.map((key) => ({ key, token: ALICE, fingerprint: PAYLOAD }));
    const claimed = await store.claim(claims, { scope, ...TERMS });
    expect(claimed).toEqual(KEYS.map(() => ({ kind: 'claimed', attempts: 1, failures: 0, deadToken: null })));
    const settles = KEYS.map((key) => ({ key, token: ALICE, settlement: succeeded(JSON.stringify(key)) }));
    expect(new Set(await store.settle(settles, scope))).toEqual(new Set(['settled']));
    const replies = await store.claim(
      claims.toReversed().map((request) => ({ ...request, token: BOB })),
      { scope, ...TERMS },
    );
    expect(replies).toEqual(
      KEYS.toReversed().map((key) => ({
        kind: 'succeeded',
        attempts: 1,
        result: JSON.stringify(key),
        resultOmitted: null,
      })),
    );
  });
}
