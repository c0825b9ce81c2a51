import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { type Actor, ALICE, BOB, LEASE, PAYLOAD, type StoreRule, TERMS } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

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
  // One dead letter, composed and not: two keys.
  'é',
  'e\u0301',
  'KEY',
  'key',
  'key ',
];

const LONGEST_SCOPE = 512;
/** An error and its causes have up to 2,000 characters each. */
const LONG_ERROR = 15_000;

export const TEXT: StoreRule = {
  rule: 'keys, scopes, results and errors are kept and compared character by character',
  cases: {
    async 'keys are compared as they are, whatever characters they have'({ store, scope }) {
      const claims = AWKWARD.map((key) => ({ key, token: ALICE, fingerprint: PAYLOAD }));
      const replies = await store.claim(claims, { scope, ...TERMS });
      equals(
        replies,
        AWKWARD.map(() => ({ kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null })),
      );
      const extensions = AWKWARD.map((key) => ({ key, token: ALICE }));
      equals(
        await store.extend(extensions, { scope, leaseMs: LEASE }),
        AWKWARD.map(() => 'extended'),
      );
      const settles = AWKWARD.map((key) => ({
        key,
        token: ALICE,
        settlement: succeeded(JSON.stringify(key)),
      }));
      equals(
        await store.settle(settles, scope),
        AWKWARD.map(() => 'settled'),
      );
      const replays = await store.claim(
        claims.map((request) => ({ ...request, token: BOB })),
        { scope, ...TERMS },
      );
      matches(
        replays,
        AWKWARD.map((key) => ({ kind: 'succeeded', result: JSON.stringify(key) })),
      );
    },

    ...each(
      AWKWARD,
      (text) => `results and errors keep the text ${JSON.stringify(text)}`,
      async (actor: Actor, text) => {
        await actor.claim('result', ALICE);
        await actor.settle('result', ALICE, succeeded(text));
        matches(await actor.claim('result', BOB), { result: text });
        await actor.claim('error', ALICE);
        await actor.settle('error', ALICE, released(text, LEASE));
        matches(await actor.claim('error', BOB), { error: text });
      },
    ),

    async 'scopes are compared as they are, whatever characters they have'(actor) {
      for (const text of AWKWARD) {
        const other = actor.inScope(actor.scope + text);
        matches(await other.claim('key', ALICE), { kind: 'claimed' });
        equals(await other.settle('key', ALICE, succeeded()), 'settled');
      }
    },

    async 'the longest key in the longest scope fits'(actor) {
      const longScope = (actor.scope + '鍵'.repeat(400)).slice(0, 36 + 329);
      equals(Buffer.byteLength(longScope), 1_023);
      const inLongScope = actor.inScope(longScope);
      // Text that repeats would be compressed, and fit in any case.
      const longKey = Array.from({ length: 512 }, (_, index) =>
        String.fromCodePoint(0x4e00 + index * 37),
      ).join('');
      equals(Buffer.byteLength(longKey), 1_536);
      matches(await inLongScope.claim(longKey, ALICE), { kind: 'claimed' });
      equals(await inLongScope.settle(longKey, ALICE, succeeded()), 'settled');
      matches(await inLongScope.claim(longKey, BOB), { kind: 'succeeded' });
      matches(await inLongScope.claim(longKey.slice(0, -1), BOB), { kind: 'claimed' });
    },

    async 'two of the longest scopes that differ in their last character are two scopes'(actor) {
      const start = actor.scope.padEnd(LONGEST_SCOPE - 1, '-');
      await actor.inScope(`${start}a`).claim('key', ALICE);
      const other = actor.inScope(`${start}b`);
      matches(await other.claim('key', BOB), { kind: 'claimed', attempts: 1 });
      equals(await other.settle('key', ALICE, succeeded()), 'lost');
    },

    ...each(
      [
        ['failed', (error: string) => failed(error)],
        ['released', (error: string) => released(error, LEASE)],
      ],
      ([kind]) => `the long error of a ${kind} record comes back whole`,
      async (actor: Actor, [kind, settlement]) => {
        const error = JSON.stringify({ message: '"0123456789"\n🗝️'.repeat(LONG_ERROR / 15) });
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement(error));
        const reply = await actor.claim('key', BOB);
        equals(reply.kind, kind);
        equals('error' in reply && reply.error === error, true);
      },
    ),

    async 'a large result comes back whole'(actor) {
      const result = JSON.stringify('0123456789🗝️'.repeat(100_000));
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded(result));
      const reply = await actor.claim('key', BOB);
      equals(reply.kind === 'succeeded' && reply.result === result, true);
    },
  },
};
