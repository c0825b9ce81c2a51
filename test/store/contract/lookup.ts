import { expect, test } from 'vitest';
import { ALICE, BOB, HOUR, LEASE, MINUTE, type NewActor, NO_FINGERPRINT } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

/** Of a store that can look at a record without a claim. */
export function lookupContract(newActor: NewActor): void {
  test('a look finds nothing under a key that was never claimed, and makes no record', async () => {
    const actor = newActor();
    expect(await actor.lookup('key')).toBeUndefined();
    expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'claimed', attempts: 1 });
  });

  test('a look finds an owned record, and leaves it to its owner when its lease has lapsed', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    const reply = await actor.lookup('key');
    expect(reply).toMatchObject({ kind: 'in-flight', attempts: 1 });
    expect(reply).toHaveProperty('retryAfterMs', expect.closeTo(LEASE, -4) as number);
    await actor.advance(LEASE);
    expect(await actor.lookup('key')).toEqual({ kind: 'in-flight', attempts: 1, retryAfterMs: 0 });
    expect(await actor.extend('key', ALICE)).toBe('extended');
  });

  test('a look finds a released record with its error, during its backoff and after', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released('{"message":"busy"}', MINUTE));
    const reply = { kind: 'released', attempts: 1, error: '{"message":"busy"}' };
    expect(await actor.lookup('key')).toMatchObject(reply);
    await actor.advance(MINUTE);
    expect(await actor.lookup('key')).toEqual({ ...reply, retryAfterMs: 0 });
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 2 });
  });

  test('a look finds a succeeded record with its result, until it has expired', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
    await actor.settle('key', ALICE, succeeded('"kept"'));
    const reply = { kind: 'succeeded', attempts: 1, result: '"kept"', resultOmitted: null };
    expect(await actor.lookup('key')).toEqual(reply);
    await actor.advance(HOUR);
    expect(await actor.lookup('key')).toBeUndefined();
  });

  test('a look finds a failed record with its error, until it has expired', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, failed('{"message":"kept"}'));
    const reply = { kind: 'failed', attempts: 1, error: '{"message":"kept"}', replayed: true };
    expect(await actor.lookup('key')).toMatchObject(reply);
    await actor.advance(HOUR);
    expect(await actor.lookup('key')).toBeUndefined();
  });

  test('a look finds the record of its own scope alone', async () => {
    const [actor, other] = [newActor(), newActor()];
    await actor.claim('key', ALICE);
    expect(await other.lookup('key')).toBeUndefined();
  });
}
