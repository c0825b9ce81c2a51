import { types } from 'node:util';

/** Reads values that handlers throw: a Proxy or a getter can throw on any access. */

/** Whether it was made by a class. False where that cannot be known. */
export function isA<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/**
 * Whether it is an error, also one of another realm: in Jest and `node:vm` the errors of Node's modules are no
 * instances of the global `Error`.
 */
export function isError(value: unknown): value is Error {
  return isA(value, Error) || types.isNativeError(value) || isDomException(value);
}

/** The one error of the platform that is no native error. */
function isDomException(value: unknown): boolean {
  try {
    return Object.prototype.toString.call(value) === '[object DOMException]';
  } catch {
    return false;
  }
}

/** Whether it is what JSON.parse throws, of any realm: its message quotes the text that could not be read. */
export function isSyntaxError(value: unknown): boolean {
  return isA(value, SyntaxError) || (isError(value) && readable(value, 'name') === 'SyntaxError');
}

/** A property; undefined where it cannot be read. */
export function readable(value: object, property: string | symbol): unknown {
  try {
    return (value as Readonly<Record<string | symbol, unknown>>)[property];
  } catch {
    return undefined;
  }
}

/** The names of its own properties; none where they cannot be read. */
export function readableKeys(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** Whether a property can be read at all. */
export function canRead(value: object, property: string): boolean {
  try {
    Reflect.get(value, property);
    return true;
  } catch {
    return false;
  }
}
