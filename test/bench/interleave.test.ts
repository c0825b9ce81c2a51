import { expect, it } from 'vitest';
import { interleave } from '../../bench/interleave.ts';

it('runs each once in every round, starts each round with the next, and keeps the rates apart', async () => {
  const ran: string[] = [];
  const runner = (name: string, kinds: readonly string[]) => ({
    name,
    run: () => {
      ran.push(name);
      return Promise.resolve(Object.fromEntries(kinds.map((kind) => [kind, ran.length])));
    },
  });
  const samples = await interleave([runner('a', ['fresh', 'duplicates']), runner('b', ['fresh'])], 3);
  expect(ran).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
  expect(Object.fromEntries(samples)).toEqual({
    fresh: [
      { contender: 'a', rates: [1, 4, 5] },
      { contender: 'b', rates: [2, 3, 6] },
    ],
    duplicates: [{ contender: 'a', rates: [1, 4, 5] }],
  });
});
