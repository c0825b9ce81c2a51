import { isPromise } from './is-promise.ts';

/** What a value is, for an error that does not quote it. */
export function kindOf(value: unknown): string {
  if (isPromise(value)) return 'a Promise: await it';
  return value === null ? 'null' : typeof value;
}
