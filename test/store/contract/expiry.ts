import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, HOUR, LEASE, MINUTE, type NewActor, OTHER_PAYLOAD } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

const FRESH = { kind: 'claimed', attempts: 1, failures: 0, deadToken: null };
const ENDINGS = [
  ['succeeded', succeeded('"old"', HOUR)],
  ['failed', failed('{"message":"old"}', 'terminal', HOUR)],
] as const;

export function expiryContract(newActor: NewActor): void {
  test.each(ENDINGS)('a %s record answers until its retention ends', async (kind, settlement) => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, settlement);
    await actor.advance(HOUR - MINUTE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind });
    await actor.advance(MINUTE);
    expect(await actor.claim('key', BOB)).toEqual(FRESH);
  });

  test.each(ENDINGS)('an expired %s record is as if it had never been', async (_, settlement) => {
    const actor = newActor();
    await actor.claim('key', CAROL);
    await actor.settle('key', CAROL, released('{"message":"older"}'));
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, settlement);
    await actor.advance(HOUR);
    expect(await actor.claim('key', BOB)).toEqual(FRESH);
    await actor.settle('key', BOB, released(null, MINUTE));
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'released', attempts: 1, error: null });
    await actor.advance(MINUTE);
    await actor.claim('key', CAROL);
    await actor.settle('key', CAROL, succeeded(null));
    expect(await actor.claim('key', ALICE)).toEqual({
      kind: 'succeeded',
      attempts: 2,
      result: null,
      resultOmitted: null,
    });
  });

  test.each(ENDINGS)('after a %s record expired its key may carry another payload', async (_, settlement) => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, settlement);
    await actor.advance(HOUR);
    expect(await actor.claim('key', BOB, { fingerprint: OTHER_PAYLOAD })).toEqual(FRESH);
    expect(await actor.claim('key', CAROL)).toEqual({ kind: 'mismatch' });
  });

  test('the owner of the expired life of a key has no say in the next', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, succeeded('"old"', HOUR));
    await actor.advance(HOUR);
    await actor.claim('key', BOB);
    expect(await actor.settle('key', ALICE, succeeded('"old"'))).toBe('lost');
    expect(await actor.extend('key', ALICE)).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 1 });
  });

  test('a pending record does not expire, however long it is not claimed', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE + 10_000 * HOUR);
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 0,
      deadToken: ALICE,
    });
  });
}
