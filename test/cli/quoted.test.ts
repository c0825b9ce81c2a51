import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoted } from '../../adapters/operations/quoted.ts';

test.each([
  ['billing', 'billing'],
  ['shop>http:POST%20%2Forders', '"shop>http:POST%20%2Forders"'],
  ['a b', '"a b"'],
  ['$HOME`id`', "'$HOME`id`'"],
  [String.raw`it's "$1" \\`, String.raw`'it'\''s "$1" \\'`],
])('%s is one argument of a shell', (text, argument) => {
  expect(quoted(text)).toBe(argument);
  expect(execFileSync('sh', ['-c', `printf %s ${argument}`], { encoding: 'utf8' })).toBe(text);
});
