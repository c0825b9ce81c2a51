import { expect, test } from 'vitest';
import { arrayLiteral } from '../../src/postgres/array.ts';
import { arraysOf, batchOf } from '../../src/postgres/batch.ts';
import { quoteIdentifier } from '../../src/postgres/identifier.ts';

test('an array is one text', () => {
  expect(arrayLiteral([])).toBe('{}');
  expect(arrayLiteral(['a', null, 7, 'NULL', ''])).toBe('{"a",NULL,7,"NULL",""}');
  expect(arrayLiteral(['say "no"', String.raw`C:\x`])).toBe(String.raw`{"say \"no\"","C:\\x"}`);
});

test('rows are an array for each column, and one alone is its cells', () => {
  expect(
    arraysOf(
      [
        { a: 'x', b: 1 },
        { a: null, b: 2 },
      ],
      ['b', 'a'],
    ),
  ).toEqual(['{1,2}', '{"x",NULL}']);
  expect(batchOf([])).toEqual({ size: 'many', parameters: [] });
  expect(batchOf([['x', null, 7]])).toEqual({ size: 'one', parameters: ['x', null, '7'] });
  expect(
    batchOf([
      ['x', 1],
      [null, 2],
    ]),
  ).toEqual({ size: 'many', parameters: ['{"x",NULL}', '{1,2}'] });
});

test('a name is quoted', () => {
  expect(quoteIdentifier('or"d"ers')).toBe('"or""d""ers"');
});
