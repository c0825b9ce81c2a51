import { expect, test } from 'vitest';
import { ALICE, actorOn, BOB, LEASE, type NewActor, SECOND } from './actor.ts';
import { succeeded } from './settlements.ts';

export function claimContract(newActor: NewActor): void {
  test('the first claim of a key owns it', async () => {
    const actor = newActor();
    expect(await actor.claim('key', ALICE)).toEqual({
      kind: 'claimed',
      attempts: 1,
      failures: 0,
      deadToken: null,
    });
  });

  test('a claim sent again with its own token is answered again, and counts once', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    expect(await actor.claim('key', ALICE)).toEqual({
      kind: 'claimed',
      attempts: 1,
      failures: 0,
      deadToken: null,
    });
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight', attempts: 1 });
  });

  test('a claim sent again does not make its lease longer', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.claim('key', ALICE, { leaseMs: 100 * LEASE });
    await actor.advance(LEASE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed' });
  });

  test('a duplicate of a claimed key learns how long the lease still runs', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(20 * SECOND);
    const reply = await actor.claim('key', BOB);
    expect(reply).toMatchObject({ kind: 'in-flight', attempts: 1 });
    const { retryAfterMs } = reply as Extract<typeof reply, { kind: 'in-flight' }>;
    expect(retryAfterMs).toBeLessThanOrEqual(LEASE - 20 * SECOND);
    expect(retryAfterMs).toBeGreaterThan(SECOND);
    expect(Number.isInteger(retryAfterMs)).toBe(true);
  });

  test('a duplicate does not make the lease longer', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.claim('key', BOB, { leaseMs: 100 * LEASE });
    await actor.advance(LEASE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed' });
  });

  test('the lease that a claim asks for is the lease that it gets', async () => {
    const actor = newActor();
    await actor.claim('short', ALICE, { leaseMs: LEASE });
    await actor.claim('long', ALICE, { leaseMs: 3 * LEASE });
    await actor.advance(2 * LEASE);
    expect(await actor.claim('short', BOB)).toMatchObject({ kind: 'claimed' });
    expect(await actor.claim('long', BOB)).toMatchObject({ kind: 'in-flight' });
  });

  test('a settled key answers every later claim', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, succeeded('{"id":7}'));
    const replay = { kind: 'succeeded', attempts: 1, result: '{"id":7}', resultOmitted: null };
    expect(await actor.claim('key', BOB)).toEqual(replay);
    expect(await actor.claim('key', BOB)).toEqual(replay);
    expect(await actor.claim('key', ALICE)).toEqual(replay);
  });

  test('the same key in another scope is another message', async () => {
    const actor = newActor();
    const elsewhere = actorOn({ store: actor.store, advance: () => Promise.resolve() });
    await actor.claim('key', ALICE);
    expect(await elsewhere.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 1 });
    expect(await elsewhere.settle('key', ALICE, succeeded())).toBe('lost');
    expect(await elsewhere.extend('key', ALICE)).toBe('lost');
  });

  test('scope and key are two things: moving a character between them makes another message', async () => {
    const actor = newActor();
    const longer = actorOn({ store: actor.store, advance: () => Promise.resolve() }, `${actor.scope}k`);
    await actor.claim('key', ALICE);
    expect(await longer.claim('ey', BOB)).toMatchObject({ kind: 'claimed' });
  });
}
