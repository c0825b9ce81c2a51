import { expect, test } from 'vitest';
import { printable } from '../../src/lib/printable.ts';

test('what breaks a line, moves a cursor or turns a text around is printed as an escape', () => {
  expect(printable('a\n\t\u001b[31m\u007f\u009b\u2028\u202eb')).toBe(
    String.raw`a\n\t\u001b[31m\u007f\u009b\u2028\u202eb`,
  );
  expect(printable('größe "7" \\ 😀')).toBe('größe "7" \\ 😀');
});
