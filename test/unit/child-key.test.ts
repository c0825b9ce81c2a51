import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childKey } from '../../src/options/key.ts';

describe('a child key', () => {
  // Computed by another implementation. A change here would charge twice at a provider that has seen the old keys.
  it.each([
    ['billing', 'order-1', 'charge', 'd940525ca7c8db53dbe496198eeee89d9bd99b927ba06e9baec226719845d4c3'],
    ['a', 'b', 'c', '1ae451431d3755f25ce75584c9fb8d56755c5469700f5b7a1ffc1e216bf5cc96'],
    ['ab', 'c', 'd', '223cc076a622c16b121a46baf30aab25a699f8b0a22c8b231d6a843c9351daf3'],
    ['a', 'bc', 'd', 'f5d72ee5b21e87ff96b8a735549d29fddc30ee753596e3a35a8724bbc70dd633'],
    ['préfixe', 'ключ', '\u{1f600}', 'a73d6d29857c4adbaff3e7a5d5321c7571734d5ff01010c63e9ffde9ab142f8a'],
    [
      'x'.repeat(512),
      'y'.repeat(512),
      'z'.repeat(512),
      '0ca45b6ca581d5e69a9acbee6794bf06ee7f0da741a17daab22ec5b3eab07aa4',
    ],
  ])('never changes: %.10s, %.10s, %.10s', (scope, key, name, digest) => {
    expect(childKey(scope, key, name)).toBe(digest);
  });

  it('is no other one when the same text is cut elsewhere into scope, key and name', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 40 });
    const cuts = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat());
    fc.assert(
      fc.property(text, cuts, (whole, [a, b, c, d]) => {
        const one = cut(whole, a, b);
        const other = cut(whole, c, d);
        const same = one.every((part, index) => part === other[index]);
        expect(childKey(...one) === childKey(...other)).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });
});

function cut(whole: string, first: number, second: number): [string, string, string] {
  const [from, to] = [first % (whole.length + 1), second % (whole.length + 1)].sort((x, y) => x - y);
  const ends = [from ?? 0, to ?? 0] as const;
  return [whole.slice(0, ends[0]), whole.slice(...ends), whole.slice(ends[1])].map((part) =>
    part.toWellFormed(),
  ) as [string, string, string];
}
