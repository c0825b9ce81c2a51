import { expect, it } from 'vitest';
import { startExample } from './support/example.ts';

it('is a unit test that passes', async () => {
  const example = startExample('unit-test.ts', {});
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^. pass 3$/m);
});
