import { describe, expect, it, vi } from 'vitest';
import {
  createHandleOnce,
  InvalidKeyError,
  InvalidOptionsError,
  UnhashablePayloadError,
} from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';

const tooLong = 'must be at most 512 characters, got 513; hash a longer one yourself';
const faults: [string, unknown, string][] = [
  ['empty', '', 'must not be empty'],
  ['of 513 characters', 'k'.repeat(513), tooLong],
  ['with a NUL', 'a\0b', 'must not contain a NUL character'],
  ['with half a character', 'a\ud83d', 'must not contain a lone surrogate (half of a UTF-16 pair)'],
  ['with the other half of one', '\ude00a', 'must not contain a lone surrogate (half of a UTF-16 pair)'],
  ['undefined', undefined, 'must be a string, got undefined'],
  ['null', null, 'must be a string, got null'],
  ['a number', 5, 'must be a string, got number'],
  ['a list', ['a'], 'must be a string, got object'],
];

describe('over the Postgres store', () => {
  const bench = usePostgresBench();

  it.each(faults)('a key that is %s is refused before anything runs', async (_, key, fault) => {
    const handleOnce = bench.handleOnce();
    const handler = vi.fn();
    const refusal = await handleOnce(key as string, 'body', handler).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InvalidKeyError);
    expect(refusal).toMatchObject({ code: 'INVALID_KEY', retriable: false, message: `key ${fault}` });
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toEqual({});
  });

  it('a key that is a promise is refused with the fix', async () => {
    const call = bench.handleOnce()(Promise.resolve('order-7') as never, 'body', () => 1);
    await expect(call).rejects.toThrow(/^key must be a string, got a Promise: await it$/);
  });

  it('a payload without a fingerprint is refused before anything runs', async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const handler = vi.fn();
    await expect(bench.handleOnce()('key', cycle, handler)).rejects.toThrow(UnhashablePayloadError);
    expect(handler).not.toHaveBeenCalled();
  });

  it('keys are taken as they are: nothing is trimmed, folded or normalised', async () => {
    const handleOnce = bench.handleOnce();
    const keys = [
      ...['a', ' a', 'a ', 'A', 'a\n', '\ufeffa'],
      ...['caf\u00e9', 'cafe\u0301', '\ufb01', 'fi', '\u212b', '\u00c5'],
      ...['0', '00', '1e0', "'", '"', '\\', '%', '_', '{a,b}', 'NULL', '\u{1f600}', '\u2028'],
    ];
    for (const key of keys) await handleOnce(key, 'body', () => key);
    const replays = await Promise.all(keys.map((key) => handleOnce(key, 'body', () => 'ran again')));
    expect(replays.map((outcome) => outcome.state === 'succeeded' && outcome.replayed)).toEqual(
      keys.map(() => true),
    );
    expect(replays.map((outcome) => outcome.state === 'succeeded' && outcome.result)).toEqual(keys);
  });
});

describe('a scope', () => {
  const bench = usePostgresBench();

  it.each(faults)('that is %s is refused', (_, scope, fault) => {
    expect(() => createHandleOnce({ store: bench.store, scope: scope as string })).toThrow(
      new InvalidOptionsError('createHandleOnce', [{ field: 'scope', message: fault }]),
    );
  });

  it('is bounded in bytes too', () => {
    expect(bench.handleOnce({ scope: `${'\u20ac'.repeat(341)}a` }).settings.scope).toHaveLength(342);
    expect(() => bench.handleOnce({ scope: '\u20ac'.repeat(342) })).toThrow(
      'scope: must be at most 1024 UTF-8 bytes, got 1026',
    );
  });

  it('and a key of the most that is accepted fit the index together', async () => {
    // Each of these takes three bytes, which is the most that a UTF-16 unit can take; random, or they would compress.
    const incompressible = (length: number) =>
      String.fromCharCode(...Array.from({ length }, (_, index) => 0x4e00 + ((index * 7_919) % 20_000)));
    const scope = incompressible(341);
    const handleOnce = bench.handleOnce({ scope });
    const key = incompressible(512);
    expect(await handleOnce(key, 'body', () => 1)).toMatchObject({ state: 'succeeded', replayed: false });
    expect(await handleOnce(key, 'body', () => 2)).toMatchObject({ replayed: true, result: 1 });
    expect(await bench.record(scope, key)).toMatchObject({ state: 'succeeded' });
  });

  it.each(faults)('to go on in that is %s is refused', (_, scope, fault) => {
    expect(() => bench.handleOnce().inScope(scope as string)).toThrow(
      new InvalidOptionsError('inScope', [{ field: 'scope', message: fault }]),
    );
  });

  it('entered later has records and child keys of its own, and the rest of the options', async () => {
    const inA = bench.handleOnce({ scope: 'a', leaseMs: 5_000 });
    const inB = inA.inScope('b');
    const childKeys = [
      await inA('key', 'body', (_, attempt) => attempt.childKey('charge')),
      await inB('key', 'body', (_, attempt) => attempt.childKey('charge')),
    ].map((outcome) => outcome.state === 'succeeded' && !outcome.replayed && outcome.result);
    expect(new Set(childKeys).size).toBe(2);
    expect(inB.settings).toEqual({ ...inA.settings, scope: 'b' });
    expect(await bench.record('b', 'key')).toMatchObject({ state: 'succeeded' });
    expect(inA.counts()).toMatchObject({ succeeded: 2 });
    expect(await inB('key', 'body', () => 'again')).toMatchObject({ replayed: true });
  });
});
