import { readable } from './safe-read.ts';

/**
 * Whether a function that has to be synchronous has returned a promise. A rejection of it is ignored from then on: it
 * would end the process.
 */
export function isPromise(value: unknown): boolean {
  if (!isThenable(value)) return false;
  Promise.resolve(value).catch(() => undefined);
  return true;
}

export function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof readable(value, 'then') === 'function';
}
