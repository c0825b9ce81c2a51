import { expect, test } from 'vitest';
import { ALICE, actorOn, BOB, LEASE, type NewActor, PAYLOAD, TERMS } from './actor.ts';
import { released, succeeded } from './settlements.ts';

const AWKWARD = [
  'NULL',
  'null',
  ' leading and trailing ',
  '"quoted"',
  "it's",
  'back\\slash',
  'ends with a backslash\\',
  '\\"',
  '{braces}',
  '{}',
  'a,b',
  ',',
  'line\nbreak\r\nand\ttab',
  '$1',
  '%s;--',
  'ключ',
  '鍵',
  '🗝️',
  // One letter, composed and not: two keys.
  'é',
  'e\u0301',
  'KEY',
  'key',
  'key ',
];

export function textContract(newActor: NewActor): void {
  test('keys are compared as they are, whatever characters they have', async () => {
    const { store, scope } = newActor();
    const claims = AWKWARD.map((key) => ({ key, token: ALICE, fingerprint: PAYLOAD }));
    const replies = await store.claim(claims, { scope, ...TERMS });
    expect(replies).toEqual(
      AWKWARD.map(() => ({ kind: 'claimed', attempts: 1, failures: 0, deadToken: null })),
    );
    const extensions = AWKWARD.map((key) => ({ key, token: ALICE }));
    expect(new Set(await store.extend(extensions, { scope, leaseMs: LEASE }))).toEqual(new Set(['extended']));
    const settles = AWKWARD.map((key) => ({ key, token: ALICE, settlement: succeeded(JSON.stringify(key)) }));
    expect(new Set(await store.settle(settles, scope))).toEqual(new Set(['settled']));
    const replays = await store.claim(
      claims.map((request) => ({ ...request, token: BOB })),
      { scope, ...TERMS },
    );
    expect(replays).toMatchObject(AWKWARD.map((key) => ({ kind: 'succeeded', result: JSON.stringify(key) })));
  });

  test.each(AWKWARD.map((text) => [JSON.stringify(text), text] as const))(
    'results and errors keep the text %s',
    async (_, text) => {
      const actor = newActor();
      await actor.claim('result', ALICE);
      await actor.settle('result', ALICE, succeeded(text));
      expect(await actor.claim('result', BOB)).toMatchObject({ result: text });
      await actor.claim('error', ALICE);
      await actor.settle('error', ALICE, released(text, LEASE));
      expect(await actor.claim('error', BOB)).toMatchObject({ error: text });
    },
  );

  test('scopes are compared as they are, whatever characters they have', async () => {
    const { store, scope } = newActor();
    for (const text of AWKWARD) {
      const actor = actorOn({ store, advance: () => Promise.resolve() }, scope + text);
      expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'claimed' });
      expect(await actor.settle('key', ALICE, succeeded())).toBe('settled');
    }
  });

  test('the longest key in the longest scope fits', async () => {
    const { store, scope } = newActor();
    const longScope = (scope + '鍵'.repeat(400)).slice(0, 36 + 329);
    expect(Buffer.byteLength(longScope)).toBe(1_023);
    const actor = actorOn({ store, advance: () => Promise.resolve() }, longScope);
    // Text that repeats would be compressed, and fit in any case.
    const longKey = Array.from({ length: 512 }, (_, index) => String.fromCodePoint(0x4e00 + index * 37)).join(
      '',
    );
    expect(Buffer.byteLength(longKey)).toBe(1_536);
    expect(await actor.claim(longKey, ALICE)).toMatchObject({ kind: 'claimed' });
    expect(await actor.settle(longKey, ALICE, succeeded())).toBe('settled');
    expect(await actor.claim(longKey, BOB)).toMatchObject({ kind: 'succeeded' });
    expect(await actor.claim(longKey.slice(0, -1), BOB)).toMatchObject({ kind: 'claimed' });
  });

  test('a large result comes back whole', async () => {
    const actor = newActor();
    const result = JSON.stringify('0123456789🗝️'.repeat(100_000));
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, succeeded(result));
    const reply = await actor.claim('key', BOB);
    expect(reply.kind === 'succeeded' && reply.result === result).toBe(true);
  });
}
