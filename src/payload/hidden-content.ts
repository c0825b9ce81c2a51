import { types } from 'node:util';
import { isError } from '../lib/safe-read.ts';

/** Their content is not in their members. */
const CLOSED = [
  ...[types.isMap, types.isSet, types.isWeakMap, types.isWeakSet, types.isPromise, types.isRegExp],
  ...[types.isAnyArrayBuffer, types.isDataView, types.isSymbolObject, isError],
];

/**
 * Whether JSON would show nothing of an object that is not plain, or only added members: of an error with a code, the
 * code. Private members of an instance cannot be known.
 */
export function hidesContent(value: object): boolean {
  return CLOSED.some((isClosed) => isClosed(value)) || Object.keys(value).length === 0;
}

/** Whether an object has no class. Also for one of another realm, with another prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
