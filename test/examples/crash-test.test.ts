import { expect, it } from 'vitest';
import { startExample } from './support/example.ts';

it('is a crash test that passes under node:test', async () => {
  const example = startExample('crash-test.ts', {});
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^. pass 1$/m);
});
