import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, LEASE, MINUTE, type NewActor, SECOND } from './actor.ts';
import { released, takenBack } from './settlements.ts';

export function releaseContract(newActor: NewActor): void {
  test('a released key waits for its backoff, and tells the error and the time left', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released('{"message":"busy"}', 10 * MINUTE));
    await actor.advance(4 * MINUTE);
    const reply = await actor.claim('key', BOB);
    expect(reply).toMatchObject({ kind: 'released', attempts: 1, error: '{"message":"busy"}' });
    const { retryAfterMs } = reply as Extract<typeof reply, { kind: 'released' }>;
    expect(retryAfterMs).toBeLessThanOrEqual(6 * MINUTE);
    expect(retryAfterMs).toBeGreaterThan(5 * MINUTE);
    expect(Number.isInteger(retryAfterMs)).toBe(true);
  });

  test('the token that released a key waits like any other', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released(null, MINUTE));
    expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'released', attempts: 1, error: null });
  });

  test('after the backoff the next attempt is a claim, not a takeover', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released(null, MINUTE));
    await actor.advance(MINUTE);
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 1,
      deadToken: null,
    });
  });

  test('a release with no backoff is claimable at once', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released(null, 0));
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 1,
      deadToken: null,
    });
  });

  test('a new attempt after a release has a lease of its own', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released(null, 0));
    await actor.claim('key', BOB);
    await actor.advance(LEASE - 30 * SECOND);
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 2 });
  });

  test('an interrupted attempt is taken back from the count', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released());
    await actor.claim('key', BOB);
    await actor.settle('key', BOB, takenBack());
    expect(await actor.claim('key', CAROL)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 1,
      deadToken: null,
    });
  });

  test('an interrupted first attempt leaves a count of 0', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, takenBack(null, MINUTE));
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'released', attempts: 0 });
  });

  test('an error is kept over later attempts until another takes its place', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released('{"message":"first"}'));
    await actor.claim('key', BOB);
    await actor.settle('key', BOB, takenBack(null, MINUTE));
    expect(await actor.claim('key', CAROL)).toMatchObject({ error: '{"message":"first"}' });
    await actor.advance(MINUTE);
    await actor.claim('key', CAROL);
    await actor.settle('key', CAROL, released('{"message":"second"}', MINUTE));
    expect(await actor.claim('key', ALICE)).toMatchObject({ error: '{"message":"second"}' });
  });
}
