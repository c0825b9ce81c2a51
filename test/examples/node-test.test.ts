import { expect, it } from 'vitest';
import { startExample } from './support/example.ts';

it.each([
  ['crash-test.ts', 1],
  ['unit-test.ts', 3],
  ['circuit-breaker.ts', 1],
])('%s is a program of tests that pass', async (name, passes) => {
  const example = startExample(name, {});
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(new RegExp(`^. pass ${passes}$`, 'm'));
});
