import { expect, test } from 'vitest';
import { connectionWarning } from '../../adapters/shared/connection-warning.ts';

test.each([
  ['a pool that is larger than concurrency', { maxConnections: 11, concurrency: 10, inTransaction: true }],
  ['handlers without transactions', { maxConnections: 1, concurrency: 10, inTransaction: false }],
  ['a pool of unknown size', { maxConnections: undefined, concurrency: 10, inTransaction: true }],
])('%s is no reason for a warning', (_, settings) => {
  expect(connectionWarning(settings)).toBeUndefined();
});

test('a pool that handlers in transactions can use up is one, which names the numbers and the fix', () => {
  const warning = connectionWarning({
    ...{ scope: 'billing', maxConnections: 10, concurrency: 10, inTransaction: true },
  });
  expect(warning).toMatchObject({ warning: 'POOL_TOO_SMALL', scope: 'billing' });
  expect(warning?.message).toMatch(/pool of 10 connections.*concurrency 10.*pool at least 12/);
});
