import * as handleOnceModule from 'handle-once';
import { expect, test } from 'vitest';
import { THROWN } from './handled.ts';

test('what tables are made of has every error that the package exports', () => {
  const isError = (value: unknown): boolean =>
    typeof value === 'function' &&
    value.prototype instanceof Error &&
    value !== handleOnceModule.HandleOnceError;
  const exported = Object.values<unknown>(handleOnceModule).filter(isError);
  const known = new Set<unknown>(Object.values(THROWN).map((error: unknown) => error?.constructor));
  expect(exported.length).toBeGreaterThan(9);
  expect(exported.filter((type) => !known.has(type))).toEqual([]);
});
