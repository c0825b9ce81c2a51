import assert from 'node:assert/strict';

/** Compares values without their classes: a row of a library answers as well as an object of ours. */
export function equals(actual: unknown, expected: unknown): void {
  assert.deepEqual(plain(actual), expected);
}

/** Compares those members alone that `part` has, in it and in what it holds. */
export function matches(actual: unknown, part: unknown): void {
  assert.deepEqual(partOf(actual, part), part);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value) ? { ...value } : value;
}

function partOf(value: unknown, part: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(part)) {
    return value.map((each, index) => partOf(each, part[index]));
  }
  if (!isObject(value) || !isObject(part)) return value;
  return Object.fromEntries(Object.keys(part).map((name) => [name, partOf(value[name], part[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
