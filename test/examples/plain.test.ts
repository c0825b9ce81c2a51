import { expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { startExample } from './support/example.ts';
import { records } from './support/records.ts';

const { sql, url } = useEmptyDatabase();

async function run(...args: string[]): Promise<string> {
  const example = startExample('plain.ts', { DATABASE_URL: url }, args);
  expect(await example.exitCode(), example.output()).toBe(0);
  return example.output();
}

it('charges the first time, and answers from the record the second time', async () => {
  const first = await run('order-1', '995');
  expect(first).toMatch(/^charged now, attempt 1: [0-9a-f]{12}$/m);
  expect(await run('order-1', '995')).toBe(first.replace('now', 'before'));
  expect(await records(sql)).toMatchObject([
    { scope: 'billing', key: 'order-1', state: 'succeeded', attempts: 1 },
  ]);
});

it('reports an order that can never be charged', async () => {
  expect(await run('order-2', '0')).toContain('failed permanently (terminal): there is nothing to charge\n');
});

it('says what it needs', async () => {
  const example = startExample('plain.ts', { DATABASE_URL: '' });
  expect(await example.exitCode()).toBe(1);
  expect(example.output()).toBe('set DATABASE_URL to run this example\n');
});
