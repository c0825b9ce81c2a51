import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { toPlainHeaders } from '../../adapters/webhook/headers.ts';

const plain = { 'x-github-delivery': '72d3162e', 'content-type': 'application/json' };

test.each<[kind: string, headers: unknown]>([
  ['Headers', new Headers({ 'X-GitHub-Delivery': '72d3162e', 'Content-Type': 'application/json' })],
  ['headers of Node', { ...plain, 'x-absent': undefined }],
  [
    'an object with names in any case',
    { 'X-GITHUB-Delivery': '72d3162e', 'Content-type': 'application/json' },
  ],
  ['an object of lists', { 'X-GitHub-Delivery': ['72d3162e'], 'Content-Type': ['application/json'] }],
  [
    'entries',
    [
      ['X-GitHub-Delivery', '72d3162e'],
      ['CONTENT-TYPE', 'application/json'],
    ],
  ],
  ['a Map', new Map(Object.entries(plain))],
])('%s become names in lower case', (_, headers) => {
  expect(toPlainHeaders(headers)).toEqual(plain);
});

describe('A header that was sent twice', () => {
  const joined = { 'webhook-id': 'a, b' };

  it('has both values, as in Headers, so that no check can see one and no reader the other', () => {
    expect(
      toPlainHeaders([
        ['webhook-id', 'a'],
        ['Webhook-Id', 'b'],
      ]),
    ).toEqual(joined);
    expect(toPlainHeaders({ 'webhook-id': ['a', 'b'] })).toEqual(joined);
    expect(toPlainHeaders({ 'webhook-id': 'a', 'Webhook-Id': 'b' })).toEqual(joined);
    const headers = new Headers({ 'webhook-id': 'a' });
    headers.append('Webhook-ID', 'b');
    expect(toPlainHeaders(headers)).toEqual(joined);
  });
});

test.each<[what: string, headers: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'webhook-id: a'],
  ['flat raw headers', ['webhook-id', 'a']],
  ['a number as value', { 'webhook-id': 1 }],
  ['a list with a number', { 'webhook-id': ['a', 1] }],
  ['a null as value', { 'webhook-id': null }],
  ['a number as name', [[1, 'a']]],
  ['a triple', [['webhook-id', 'a', 'b']]],
])('%s are no headers', (_, headers) => {
  expect(toPlainHeaders(headers)).toBeUndefined();
});

test('the case of names never matters', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
  fc.assert(
    fc.property(fc.dictionary(name, fc.string(), { noNullPrototype: true }), (headers) => {
      const upper = Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]);
      expect(toPlainHeaders(upper)).toEqual(headers);
      expect(toPlainHeaders(Object.fromEntries(upper))).toEqual(headers);
    }),
  );
});
