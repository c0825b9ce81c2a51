import type { ServerResponse } from 'node:http';

/** Methods of a response. HTTP/2 has not all of them. */
const NAMES = [
  '_implicitHeader',
  'addTrailers',
  'appendHeader',
  'destroy',
  'emit',
  'end',
  'flushHeaders',
  'getHeader',
  'getHeaderNames',
  'getHeaders',
  'hasHeader',
  'removeHeader',
  'setHeader',
  'setHeaders',
  'write',
  'writeHead',
  'writeHeader',
] as const;

/** What a method does with its arguments. */
export type Call = (args: readonly unknown[]) => unknown;

export type Calls = Readonly<Record<(typeof NAMES)[number], Call>>;

/**
 * Puts calls in front of the methods of a response: those methods themselves, until others are to be used. They stay
 * there, since what has been put before them later, such as `on-headers`, must not be cut off.
 */
export function putInFront(response: ServerResponse) {
  const names = NAMES.filter((name) => name in response);
  const entries = names.map((name) => {
    const method = Reflect.get(response, name) as (...args: unknown[]) => unknown;
    return [name, (args: readonly unknown[]) => Reflect.apply(method, response, args)] as const;
  });
  const own = Object.fromEntries(entries) as Calls;
  let used = own;
  for (const name of names) Object.assign(response, { [name]: (...args: unknown[]) => used[name](args) });
  return {
    /** The methods as they were. */
    own,
    /** Has these called from now on. */
    use: (calls: Calls) => {
      used = calls;
    },
  };
}

export type Front = ReturnType<typeof putInFront>;
