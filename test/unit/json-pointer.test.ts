import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonPointer, valueAt } from '../../src/payload/json-pointer.ts';

const document = {
  id: 'evt_1',
  data: { id: 'ch_1', list: [{ id: 'a' }, { id: 'b' }] },
  'a/b': 'slash',
  'm~n': 'tilde',
  '~1': 'tilde one',
  '': 'empty name',
  ' ': 'space',
  '0': 'zero of an object',
  nothing: null,
  no: false,
};

test.each<[pointer: string, value: unknown]>([
  ['/id', 'evt_1'],
  ['/data/id', 'ch_1'],
  ['/data/list/0/id', 'a'],
  ['/data/list/1/id', 'b'],
  ['/a~1b', 'slash'],
  ['/m~0n', 'tilde'],
  ['/~01', 'tilde one'],
  ['/', 'empty name'],
  ['/ ', 'space'],
  ['/0', 'zero of an object'],
  ['/nothing', null],
  ['/no', false],
  ['/missing', undefined],
  ['/data/list/2', undefined],
  ['/data/list/-', undefined],
  ['/data/list/01', undefined],
  ['/data/list/-1', undefined],
  ['/data/list/1e0', undefined],
  ['/data/list/length', undefined],
  ['/id/0', undefined],
  ['/nothing/id', undefined],
  ['/missing/id', undefined],
  ['/constructor', undefined],
  ['/__proto__', undefined],
  ['/data/toString', undefined],
])('%j points at its value', (pointer, value) => {
  expect(isJsonPointer(pointer)).toBe(true);
  expect(valueAt(document, pointer)).toEqual(value);
});

test.each(['', 'id', 'data/id', '#/id', '/a~', '/a~2', '/~/b', '$.id'])(
  '%j is no pointer to a member',
  (text) => {
    expect(isJsonPointer(text)).toBe(false);
  },
);

test.each([undefined, null, 'text', 7, true])('%j has no members', (value) => {
  expect(valueAt(value, '/0')).toBeUndefined();
});

function pointerTo(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const names = fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~0', '~1', '~01', '0')), {
  minLength: 1,
});

test('any name can be pointed at', () => {
  fc.assert(
    fc.property(names, fc.jsonValue(), (path, value) => {
      const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: inner, [`${name}'`]: 1 }), value);
      const parsed: unknown = JSON.parse(JSON.stringify(nested));
      expect(isJsonPointer(pointerTo(path))).toBe(true);
      expect(valueAt(parsed, pointerTo(path))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
