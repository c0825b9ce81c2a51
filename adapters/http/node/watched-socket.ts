import type { IncomingMessage, ServerResponse } from 'node:http';
import { overrideProperty } from './overridden-property.ts';

/** What closes a connection. */
const CLOSES: ReadonlySet<unknown> = new Set(['destroy', 'destroySoon', 'end', 'resetAndDestroy']);

type Closed = (close: () => void, reason: unknown) => void;

/**
 * Puts a socket in front of the one of a request and its response. It reports a call that would close the connection,
 * and does not close it. Node uses its own socket when a client hangs up, which tells the two cases apart. Where
 * `takesMore` it is writable, whether its client has hung up or not. Returns what puts the own one back.
 */
export function watchSocket(
  request: IncomingMessage,
  response: ServerResponse,
  closed: Closed,
  takesMore: () => boolean,
): (() => void)[] {
  const socket: unknown = request.socket;
  if (typeof socket !== 'object' || socket === null) return [];
  const watched = watch(socket, closed, takesMore);
  const read = (own: unknown): unknown => (own === socket ? watched : own);
  return [request, response].map((message) => overrideProperty(message, 'socket', read));
}

/** Its methods are called on the socket itself, since they call each other: a timeout is not of the handler. */
function watch(socket: object, closed: Closed, takesMore: () => boolean): object {
  const watched: object = new Proxy(socket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'writable') return takesMore() || value;
      if (typeof value !== 'function' || name === 'constructor') return value;
      return (...args: unknown[]): unknown => {
        if (CLOSES.has(name)) {
          closed(() => void Reflect.apply(value, target, args), args[0]);
          return watched;
        }
        const result: unknown = Reflect.apply(value, target, args);
        return result === target ? watched : result;
      };
    },
  });
  return watched;
}
