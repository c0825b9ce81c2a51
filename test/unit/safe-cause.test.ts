import { describe, expect, test } from 'vitest';
import { isReadTimeout } from '../../src/postgres/error-layers.ts';
import { noRightsError, readOnlyError, toStoreError } from '../../src/postgres/failure.ts';
import { safeCause } from '../../src/postgres/safe-cause.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { SchemaError } from '../../src/words/errors.ts';

const thrown = (message: string, facts: object): Error => Object.assign(new Error(message), facts);

describe('The message of a cause', () => {
  test('is the one of the server, where it holds no value', () => {
    const error = thrown('relation "records" does not exist', { code: '42P01', severity: 'ERROR' });
    expect(safeCause(error)).toMatchObject({ message: error.message, code: '42P01', severity: 'ERROR' });
  });

  test.each<[why: string, error: Error, state: string]>([
    ['a class that quotes values', thrown('secret', { code: '23505', severity: 'ERROR' }), '23505'],
    [
      'a function that raised it',
      thrown('secret', { code: '42501', severity: 'ERROR', where: 'f()' }),
      '42501',
    ],
    ['no server that sent it', thrown('secret', { code: '42501' }), '42501'],
    [
      'a wrapper that has the state',
      thrown('outer', { code: '42501', severity: 'ERROR', cause: thrown('secret', { severity: 'ERROR' }) }),
      '42501',
    ],
  ])('is the state alone with %s', (_, error, state) => {
    expect(safeCause(error)?.message).toBe(`SQLSTATE ${state}`);
  });

  test('is the code where it is empty, as of several addresses that refused', () => {
    expect(safeCause(thrown('', { code: 'ECONNREFUSED' }))?.message).toBe('ECONNREFUSED');
  });
});

test('a cause keeps its name, and has no fields that it lacked', () => {
  const error = new TypeError('no');
  expect(Object.entries(safeCause(error) ?? {})).toEqual([['name', 'TypeError']]);
  expect(safeCause(Object.assign(error, { name: 7 }))?.name).toBe('Error');
});

test('what is wrapped can have a message that is no text, and a port that is one', () => {
  expect(toStoreError({ message: ['Connection terminated'] }).message).toContain('(unknown error)');
  const refused = thrown('no', { code: 'ECONNREFUSED', address: '127.0.0.1', port: '5432' });
  expect(toStoreError(refused).message).toContain('at 127.0.0.1:5432 (ECONNREFUSED)');
});

test('a read timeout of pg is known by its text', () => {
  expect([new Error('Query read timeout'), new Error('timeout')].map(isReadTimeout)).toEqual([true, false]);
});

test('what a write or a settle would throw', () => {
  expect(readOnlyError()).toMatchObject({
    ...{ retriable: true, mayHaveLanded: false },
    message: expect.stringMatching(
      /^the database accepts no writes: .* \(SQLSTATE 25006\): connect/,
    ) as string,
  });
  const error = noRightsError('orders', 'update');
  expect(error).toBeInstanceOf(SchemaError);
  expect(error.message).toMatch(
    /^the role of the client lacks update on the table records in schema orders: .* grant select, insert, update on "orders"\.records to ROLE;$/,
  );
});

test('a client of postgres is made one of ours once, and others are it already', () => {
  const sql = { unsafe: () => undefined, begin: () => undefined } as never;
  const made = toDatabaseClient(sql);
  expect(made).toMatchObject({ sendsCommit: true });
  expect(toDatabaseClient(sql)).toBe(made);
  const own = {
    query: () => undefined,
    execute: () => undefined,
    begin: () => undefined,
    in: () => undefined,
  };
  expect(toDatabaseClient(own as never)).toBe(own);
});
