import { expect, test } from 'vitest';
import { ALICE, type Actor, BOB, CAROL, HOUR, LEASE, MINUTE, type NewActor } from './actor.ts';
import { failed, released, succeeded, takenBack } from './settlements.ts';

export function settleContract(newActor: NewActor): void {
  async function owned(): Promise<Actor> {
    const actor = newActor();
    await actor.claim('key', ALICE);
    return actor;
  }

  test('the owner succeeds', async () => {
    const actor = await owned();
    expect(await actor.settle('key', ALICE, succeeded('[1,2]'))).toBe('settled');
    const replay = { kind: 'succeeded', attempts: 1, result: '[1,2]', resultOmitted: null };
    expect(await actor.claim('key', BOB)).toEqual(replay);
  });

  test.each(['terminal', 'attempts-exhausted', 'invalid-payload'] as const)(
    'the owner fails: %s',
    async (reason) => {
      const actor = await owned();
      expect(await actor.settle('key', ALICE, failed('{"message":"no"}', reason))).toBe('settled');
      const replay = { kind: 'failed', attempts: 1, reason, error: '{"message":"no"}', replayed: true };
      expect(await actor.claim('key', BOB)).toEqual(replay);
    },
  );

  test.each(['not-serializable', 'too-large', 'not-stored', 'refused-by-store'] as const)(
    'a result that is left out is told so: %s',
    async (resultOmitted) => {
      const actor = await owned();
      await actor.settle('key', ALICE, { kind: 'succeed', result: null, resultOmitted, retentionMs: HOUR });
      const replay = { kind: 'succeeded', attempts: 1, result: null, resultOmitted };
      expect(await actor.claim('key', BOB)).toEqual(replay);
    },
  );

  test('no result and the JSON null are two results', async () => {
    const actor = newActor();
    await actor.claim('nothing', ALICE);
    await actor.claim('null', ALICE);
    await actor.settle('nothing', ALICE, succeeded(null));
    await actor.settle('null', ALICE, succeeded('null'));
    expect(await actor.claim('nothing', BOB)).toMatchObject({ result: null, resultOmitted: null });
    expect(await actor.claim('null', BOB)).toMatchObject({ result: 'null', resultOmitted: null });
  });

  test('a settle of a key that was not claimed is lost, and makes no record', async () => {
    const actor = newActor();
    expect(await actor.settle('key', ALICE, succeeded())).toBe('lost');
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 1 });
  });

  test('a settle with a token that is not the owner is lost, and changes nothing', async () => {
    const actor = await owned();
    expect(await actor.settle('key', BOB, succeeded())).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight' });
    expect(await actor.settle('key', ALICE, succeeded())).toBe('settled');
  });

  test('a lapsed lease that was not taken over can still be settled', async () => {
    const actor = await owned();
    await actor.advance(10 * LEASE);
    expect(await actor.settle('key', ALICE, succeeded('"slow"'))).toBe('settled');
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'succeeded', attempts: 1, result: '"slow"' });
  });

  test.each([
    ['success', succeeded('"first"'), { kind: 'succeeded', attempts: 1, result: '"first"' }],
    ['failure', failed('{"message":"first"}'), { kind: 'failed', attempts: 1, error: '{"message":"first"}' }],
    ['release', released('{"message":"first"}', HOUR), { kind: 'released', error: '{"message":"first"}' }],
  ])('a %s sent again is settled, whatever the second says, and changes nothing', async (_, first, kept) => {
    const actor = await owned();
    await actor.settle('key', ALICE, first);
    for (const again of [first, succeeded('"other"'), failed('{"message":"other"}')]) {
      expect(await actor.settle('key', ALICE, again)).toBe('settled');
    }
    expect(await actor.claim('key', BOB)).toMatchObject(kept);
  });

  test.each([
    ['success', succeeded(), 'settled'],
    ['failure', failed(), 'failed'],
    ['release', released(null, HOUR), 'settled'],
  ])('after a %s a release changes nothing, and says what there is', async (_, first, reply) => {
    const actor = await owned();
    await actor.settle('key', ALICE, first);
    const before = await actor.claim('key', BOB);
    expect(await actor.settle('key', ALICE, released('{"message":"other"}'))).toBe(reply);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: before.kind });
  });

  test('a success sent again does not prolong its retention', async () => {
    const actor = await owned();
    await actor.settle('key', ALICE, succeeded('1', HOUR));
    await actor.settle('key', ALICE, succeeded('1', 100 * HOUR));
    await actor.advance(HOUR);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed' });
  });

  test('a success sent again does not cut its retention short', async () => {
    const actor = await owned();
    await actor.settle('key', ALICE, succeeded('1', HOUR));
    await actor.settle('key', ALICE, succeeded('1', 0));
    await actor.advance(HOUR - MINUTE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'succeeded' });
  });

  test('an interrupted attempt sent again is taken back once', async () => {
    const actor = await owned();
    await actor.settle('key', ALICE, released());
    await actor.claim('key', BOB);
    await actor.settle('key', BOB, takenBack(null, MINUTE));
    await actor.settle('key', BOB, takenBack(null, MINUTE));
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'released', attempts: 1 });
  });

  test('a release sent again after the next attempt began is lost', async () => {
    const actor = await owned();
    await actor.settle('key', ALICE, released());
    await actor.claim('key', BOB);
    expect(await actor.settle('key', ALICE, released())).toBe('lost');
    expect(await actor.claim('key', CAROL)).toMatchObject({ kind: 'in-flight', attempts: 2 });
  });
}
