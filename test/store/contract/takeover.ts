import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, HOUR, LEASE, type NewActor, SECOND } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

export function takeoverContract(newActor: NewActor): void {
  test('a lapsed lease is taken over, as the next attempt', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);
    expect(await actor.claim('key', BOB)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 0,
      deadToken: ALICE,
    });
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 2 });
  });

  test('a lease that has not lapsed is not taken over', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE - 30 * SECOND);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight', attempts: 1 });
  });

  test('the token whose lease lapsed claims again only as the next attempt', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);
    expect(await actor.claim('key', ALICE)).toEqual({
      kind: 'claimed',
      attempts: 2,
      failures: 0,
      deadToken: ALICE,
    });
  });

  test.each([
    ['success', succeeded('"late"')],
    ['failure', failed('{"message":"late"}')],
    ['release', released('{"message":"late"}', HOUR)],
  ])('after a takeover the %s of the first owner is lost, and changes nothing', async (_, settlement) => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB);
    expect(await actor.settle('key', ALICE, settlement)).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 2 });
    expect(await actor.settle('key', BOB, succeeded('"bob"'))).toBe('settled');
    expect(await actor.settle('key', ALICE, settlement)).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({
      kind: 'succeeded',
      attempts: 2,
      result: '"bob"',
    });
  });

  test('the error of an earlier attempt is kept over a takeover', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released('{"message":"first"}'));
    await actor.claim('key', BOB);
    await actor.advance(LEASE);
    await actor.claim('key', CAROL);
    await actor.settle('key', CAROL, released(null, HOUR));
    expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'released', error: '{"message":"first"}' });
  });
}
