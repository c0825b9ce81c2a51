import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, HOUR, MINUTE, type NewActor } from './actor.ts';
import { die, exhaustByDeaths } from './endings.ts';
import { released, succeeded, takenBack } from './settlements.ts';

const ONCE = { maxAttempts: 1 };
const AT_MOST_ONCE = { maxDeaths: 1 };
/** Suspects too. */
const ANY = { mayOwnSuspects: true };

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

  test('workers that died without a word use up deaths, and leave no error', async () => {
    const actor = newActor();
    await exhaustByDeaths(actor);
    const failed = { kind: 'failed', attempts: 5, reason: 'deaths-exhausted', error: null };
    expect(await actor.claim('key', BOB)).toEqual({ ...failed, replayed: false });
    expect(await actor.claim('key', CAROL)).toEqual({ ...failed, replayed: true });
  });

  test('deaths do not use up attempts, nor failures deaths', async () => {
    const actor = newActor();
    for (let round = 1; round <= 2; round += 1) {
      await die(actor, ANY);
      await die(actor, ANY);
      await actor.claim('key', ALICE, ANY);
      await actor.settle('key', ALICE, released(null, 0));
    }
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'claimed',
      attempts: 7,
      failures: 2,
      deadToken: null,
    });
  });

  test('after the deaths are used up, the last owner can neither settle nor extend', async () => {
    const actor = newActor();
    await die(actor, AT_MOST_ONCE);
    await actor.claim('key', BOB, AT_MOST_ONCE);
    expect(await actor.extend('key', ALICE)).toBe('lost');
    expect(await actor.settle('key', ALICE, succeeded())).toBe('lost');
    expect(await actor.claim('key', CAROL, AT_MOST_ONCE)).toMatchObject({ kind: 'failed' });
  });

  test('the claim that failed the record does not own it', async () => {
    const actor = newActor();
    await die(actor, AT_MOST_ONCE);
    await actor.claim('key', BOB, AT_MOST_ONCE);
    expect(await actor.extend('key', BOB)).toBe('lost');
    await actor.settle('key', BOB, succeeded());
    expect(await actor.settle('key', BOB, takenBack())).toBe('failed');
    expect(await actor.claim('key', CAROL, AT_MOST_ONCE)).toMatchObject({ kind: 'failed' });
  });

  test('a record that failed at a claim stays for the retention that this claim gave', async () => {
    const actor = newActor();
    await die(actor, AT_MOST_ONCE);
    await actor.claim('key', BOB, { ...AT_MOST_ONCE, failedRetentionMs: HOUR });
    await actor.advance(HOUR - 10 * MINUTE);
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'failed' });
    await actor.advance(10 * MINUTE);
    expect(await actor.claim('key', CAROL)).toEqual({
      kind: 'claimed',
      attempts: 1,
      failures: 0,
      deadToken: null,
    });
  });

  test('a suspect is owned only by a claim that may, and the others write nothing', async () => {
    const actor = newActor();
    await die(actor);
    await die(actor);
    expect(await actor.claim('key', BOB)).toEqual({ kind: 'suspect', attempts: 2 });
    expect(await actor.claim('key', CAROL)).toEqual({ kind: 'suspect', attempts: 2 });
    expect(await actor.claim('key', BOB, ANY)).toMatchObject({
      kind: 'claimed',
      attempts: 3,
      deadToken: ALICE,
    });
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 3 });
  });

  test('the death that fails a record is one of a suspect, whatever maxDeaths is', async () => {
    const actor = newActor();
    const terms = { maxDeaths: 2 };
    await die(actor, terms);
    expect(await actor.claim('key', BOB, terms)).toMatchObject({ kind: 'suspect' });
    await die(actor, { ...terms, ...ANY });
    expect(await actor.claim('key', BOB, terms)).toMatchObject({
      kind: 'failed',
      reason: 'deaths-exhausted',
    });
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

  test('attempts and deaths without a limit never run out', async () => {
    const actor = newActor();
    const terms = { maxAttempts: Infinity, maxDeaths: Infinity, mayOwnSuspects: true };
    for (let death = 1; death <= 20; death += 1) await die(actor, terms);
    expect(await actor.claim('key', BOB, terms)).toMatchObject({ attempts: 21, failures: 0 });
  });
}
