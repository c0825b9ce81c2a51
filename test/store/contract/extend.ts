import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, LEASE, type NewActor, SECOND } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

export function extendContract(newActor: NewActor): void {
  test('the owner extends its lease from now on', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE - 10 * SECOND);
    expect(await actor.extend('key', ALICE, LEASE)).toBe('extended');
    await actor.advance(LEASE - 30 * SECOND);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight', attempts: 1 });
    await actor.advance(30 * SECOND);
    expect(await actor.claim('key', BOB)).toMatchObject({
      kind: 'claimed',
      attempts: 2,
      failures: 0,
      deadToken: ALICE,
    });
  });

  test('a lapsed lease that was not taken over can be extended', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(10 * LEASE);
    expect(await actor.extend('key', ALICE)).toBe('extended');
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight', attempts: 1 });
  });

  test('a lease cannot be extended after a takeover, nor does the try shorten the new lease', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB);
    expect(await actor.extend('key', ALICE, 0)).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 2 });
    expect(await actor.extend('key', BOB)).toBe('extended');
  });

  test.each([
    ['succeeded', succeeded('1', LEASE)],
    ['failed', failed('{}', 'terminal', LEASE)],
    ['released', released(null, LEASE)],
  ])(
    'a heartbeat that comes after its record has %s is lost, and prolongs nothing',
    async (_, settlement) => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, settlement);
      expect(await actor.extend('key', ALICE, 100 * LEASE)).toBe('lost');
      await actor.advance(LEASE);
      expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', deadToken: null });
    },
  );

  test('a key that was not claimed cannot be extended, and gets no record', async () => {
    const actor = newActor();
    expect(await actor.extend('key', ALICE)).toBe('lost');
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 1 });
  });

  test('an extended lease keeps its attempt, its payload and its error', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, released('{"message":"first"}'));
    await actor.claim('key', BOB);
    await actor.extend('key', BOB);
    await actor.settle('key', BOB, released(null, LEASE));
    expect(await actor.claim('key', CAROL)).toMatchObject({
      kind: 'released',
      attempts: 2,
      error: '{"message":"first"}',
    });
  });
}
