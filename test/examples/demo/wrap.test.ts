import { expect, it } from 'vitest';
import { wrap } from '../../../examples/demo/wrap.ts';

it('keeps every word, and lines as long as they may be', () => {
  const text = 'at least once, and effectively once '.repeat(10).trim();
  const lines = wrap(text);
  expect(lines.join(' ')).toBe(text);
  expect(lines.every((line) => line.length <= 95)).toBe(true);
  const nextWord = lines[1]?.split(' ')[0] ?? '';
  expect(`${lines[0]} ${nextWord}`.length).toBeGreaterThan(95);
});
