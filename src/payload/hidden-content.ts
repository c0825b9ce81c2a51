import { types } from 'node:util';
import { isError } from '../lib/safe-read.ts';

/** Their content is in none of their members, however many were added. */
const CLOSED = [
  ...[types.isMap, types.isSet, types.isWeakMap, types.isWeakSet, types.isPromise, types.isRegExp],
  ...[types.isAnyArrayBuffer, types.isDataView, types.isSymbolObject, isError],
];

/**
 * Whether JSON would show nothing of an object that is not plain, or only what was added to it: of an error with a code
 * that code. What is private in an instance with members cannot be known.
 */
export function hidesContent(value: object): boolean {
  return CLOSED.some((isClosed) => isClosed(value)) || Object.keys(value).length === 0;
}

/** Whether an object is of no class. Also for an object of another realm, whose prototype is not ours. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
