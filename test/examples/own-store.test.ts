import { expect, it } from 'vitest';
import { startExample } from './support/example.ts';

it('keeps the contract of a store under node:test', async () => {
  const example = startExample('own-store.ts', {});
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^. pass 1\d\d$/m);
});
