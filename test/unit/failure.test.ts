import { expect, test } from 'vitest';
import { sqlState, toStoreError } from '../../src/store/postgres/failure.ts';

const server = Object.assign(new Error('relation does not exist'), { code: '42P01' });

test.each([
  ['the error itself', server],
  ['its cause', new Error('failed query', { cause: server })],
  ['a cause of its cause', new Error('outer', { cause: new Error('inner', { cause: server }) })],
  ["an ORM's driver error", Object.assign(new Error('failed query'), { driverError: server })],
  [
    'the facts of an error with a code of its own',
    Object.assign(new Error('raw query failed'), { code: 'P2010', meta: { code: '42P01' } }),
  ],
  [
    "an adapter's cause, which is no error",
    Object.assign(new Error('raw query failed'), {
      code: 'P2010',
      meta: { driverAdapterError: new Error('adapter', { cause: { originalCode: '42P01' } }) },
    }),
  ],
])('the SQLSTATE is found in %s', (_, error) => {
  expect(sqlState(error)).toBe('42P01');
});

test.each([
  ['the network', 'EPIPE'],
  ['the client', 'CONNECTION_CLOSED'],
  ['an ORM', 'P1001'],
  ['the client, in figures', '503'],
])('a code of %s is no SQLSTATE', (_, code) => {
  const error = Object.assign(new Error('gone'), { code });
  expect(sqlState(error)).toBeUndefined();
  expect(toStoreError(error)).toMatchObject({
    retriable: true,
    message: expect.stringContaining(code) as string,
  });
});

test.each([undefined, null, 'text', 42, {}])('what is no error, as %j, can be asked again', (thrown) => {
  expect(toStoreError(thrown)).toMatchObject({ code: 'STORE', retriable: true, cause: thrown });
});

test('the cause is what the driver threw, without what a library put around it', () => {
  const quoting = Object.assign(new Error('failed query: secret'), { driverError: server });
  expect(toStoreError(quoting).cause).toBe(server);
});

test('an error that wraps itself is read to an end', () => {
  const error: Error & { cause?: unknown } = new Error('round and round');
  error.cause = error;
  expect(toStoreError(error)).toMatchObject({ retriable: true });
});
