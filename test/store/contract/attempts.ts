import { expect, test } from 'vitest';
import { ALICE, type Actor, BOB, CAROL, HOUR, LEASE, MINUTE, type NewActor } from './actor.ts';
import { released, succeeded, takenBack } from './settlements.ts';

const ONCE = { maxAttempts: 1 };

export function attemptsContract(newActor: NewActor): void {
  test('a claim beyond the last attempt fails the record, and says that it was this claim', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.settle('key', ALICE, released('{"message":"last"}'));
    const failed = { kind: 'failed', attempts: 1, reason: 'attempts-exhausted', error: '{"message":"last"}' };
    expect(await actor.claim('key', BOB, ONCE)).toEqual({ ...failed, replayed: false });
    expect(await actor.claim('key', CAROL, ONCE)).toEqual({ ...failed, replayed: true });
  });

  test('the claim that found the attempts used up, sent again, is answered as before', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.settle('key', ALICE, released());
    const reply = await actor.claim('key', BOB, ONCE);
    expect(await actor.claim('key', BOB, ONCE)).toEqual(reply);
  });

  test('workers that died without a word use up attempts, and leave no error', async () => {
    const actor = newActor();
    await exhaustByLapses(actor, 3);
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'failed',
      attempts: 3,
      reason: 'attempts-exhausted',
      error: null,
      replayed: false,
    });
  });

  test('after the attempts are used up, the last owner can neither settle nor extend', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB, ONCE);
    expect(await actor.extend('key', ALICE)).toBe('lost');
    expect(await actor.settle('key', ALICE, succeeded())).toBe('lost');
    expect(await actor.claim('key', CAROL, ONCE)).toMatchObject({ kind: 'failed' });
  });

  test('the claim that failed the record does not own it', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB, ONCE);
    expect(await actor.extend('key', BOB)).toBe('lost');
    await actor.settle('key', BOB, succeeded());
    expect(await actor.claim('key', CAROL, ONCE)).toMatchObject({ kind: 'failed' });
  });

  test('a record that failed at a claim stays for the retention that this claim gave', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB, { ...ONCE, failedRetentionMs: HOUR });
    await actor.advance(HOUR - 10 * MINUTE);
    expect(await actor.claim('key', CAROL, ONCE)).toMatchObject({ kind: 'failed' });
    await actor.advance(10 * MINUTE);
    expect(await actor.claim('key', CAROL, ONCE)).toEqual({ kind: 'claimed', attempts: 1, tookOver: false });
  });

  test('the last attempt may run out its lease before the record fails', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    expect(await actor.claim('key', BOB, ONCE)).toMatchObject({ kind: 'in-flight' });
    expect(await actor.settle('key', ALICE, succeeded())).toBe('settled');
  });

  test('a higher limit lets a record go on that a lower one would have failed', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.settle('key', ALICE, released());
    expect(await actor.claim('key', BOB, { maxAttempts: 2 })).toMatchObject({ kind: 'claimed', attempts: 2 });
  });

  test('an attempt that was taken back can be had again', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, ONCE);
    await actor.settle('key', ALICE, takenBack());
    expect(await actor.claim('key', BOB, ONCE)).toMatchObject({ kind: 'claimed', attempts: 1 });
  });

  test('attempts without a limit never run out', async () => {
    const actor = newActor();
    await exhaustByLapses(actor, 20, Infinity);
    expect(await actor.claim('key', BOB, { maxAttempts: Infinity })).toMatchObject({ attempts: 21 });
  });
}

async function exhaustByLapses(actor: Actor, attempts: number, maxAttempts = attempts): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    await actor.claim('key', ALICE, { maxAttempts });
    await actor.advance(LEASE);
  }
}
