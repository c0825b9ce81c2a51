import { expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { startExample } from './support/example.ts';

const { url } = useEmptyDatabase();

it('keeps the contract of a Postgres client under node:test', async () => {
  const example = startExample('own-client.ts', { DATABASE_URL: url });
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^. pass \d{2,3}$/m);
}, 120_000);
