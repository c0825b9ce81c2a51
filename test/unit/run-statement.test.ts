import { describe, expect, test, vi } from 'vitest';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { createPreparing } from '../../src/postgres/preparing.ts';
import { run } from '../../src/postgres/run-statement.ts';
import { isConflict, isRolledBack } from '../../src/postgres/transaction.ts';
import { StoreError } from '../../src/words/errors.ts';

const refused = (code: string): Error => Object.assign(new Error('no'), { code, severity: 'ERROR' });

describe('A statement of ours', () => {
  function databaseWith(query: DatabaseClient['query']) {
    const execute = vi.fn(() => Promise.resolve());
    const inner = vi.fn<DatabaseClient['query']>().mockResolvedValue([['again']]);
    const begin = vi.fn((work: (transaction: unknown) => Promise<unknown>) => work('tx'));
    const within = vi.fn(() => ({ query: inner, execute }));
    const client = { query, execute, begin, in: within } as unknown as DatabaseClient;
    return { client, execute, inner, begin, within };
  }

  test('is sent once', async () => {
    const query = vi.fn<DatabaseClient['query']>().mockResolvedValue([['1']]);
    const { client, begin } = databaseWith(query);
    expect(await run(client, 'select $1', ['1'])).toEqual([['1']]);
    expect(query).toHaveBeenCalledExactlyOnceWith('select $1', ['1']);
    expect(begin).not.toHaveBeenCalled();
  });

  test('that loses a race under a stricter isolation runs again, at the one that it is written for', async () => {
    const { client, execute, inner, within } = databaseWith(() => Promise.reject(refused('40001')));
    expect(await run(client, 'select $1', ['1'])).toEqual([['again']]);
    expect(within).toHaveBeenCalledExactlyOnceWith('tx');
    expect(execute).toHaveBeenCalledExactlyOnceWith('set transaction isolation level read committed');
    expect(inner).toHaveBeenCalledExactlyOnceWith('select $1', ['1']);
  });

  test('that loses it again fails', async () => {
    const { client, inner } = databaseWith(() => Promise.reject(refused('40001')));
    inner.mockRejectedValue(refused('40001'));
    await expect(run(client, 'select 1', [])).rejects.toThrow(StoreError);
    expect(inner).toHaveBeenCalledOnce();
  });

  test('that fails otherwise is not sent again', async () => {
    const { client, begin } = databaseWith(() => Promise.reject(refused('40P01')));
    await expect(run(client, 'select 1', [])).rejects.toThrow(StoreError);
    expect(begin).not.toHaveBeenCalled();
  });

  test.each([
    ['handle', 'select, insert, update'],
    ['maintain', 'select, update, delete'],
  ] as const)('that the role may not send names the rights to %s', async (use, rights) => {
    const { client } = databaseWith(() => Promise.reject(refused('42501')));
    const grant = `grant ${rights} on "orders".records to ROLE;`;
    await expect(run(client, 'select from "orders".records t', [], use)).rejects.toThrow(grant);
    if (use === 'handle')
      await expect(run(client, 'select from "orders".records t', [])).rejects.toThrow(grant);
  });
});

describe('A client that may prepare', () => {
  const sent = async (preparing: ReturnType<typeof createPreparing>): Promise<boolean> =>
    await preparing((isPrepared) => Promise.resolve(isPrepared));

  test.each([
    ['26000', false],
    ['42P05', false],
    ['42601', true],
  ])('goes on after %s, and prepares: %s', async (code, prepares) => {
    const preparing = createPreparing(true);
    expect(await sent(preparing)).toBe(true);
    const error = refused(code);
    await expect(preparing(() => Promise.reject(error))).rejects.toBe(error);
    expect(await sent(preparing)).toBe(prepares);
  });

  test('does so only where it is configured', async () => {
    expect(await sent(createPreparing(false))).toBe(false);
  });
});

test.each([
  ['40001', true, true],
  ['40P01', true, true],
  ['23505', true, false],
  ['08006', false, false],
  ['57P01', false, false],
  ['ECONNRESET', false, false],
])(
  'a COMMIT that ends with %s is rolled back: %s, in favour of another: %s',
  (code, rolledBack, conflict) => {
    expect([isRolledBack(refused(code)), isConflict(refused(code))]).toEqual([rolledBack, conflict]);
  },
);
