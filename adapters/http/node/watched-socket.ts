import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Puts a socket in front of that of a request, which tells when it is destroyed in place of that. Node destroys its own
 * when the client hangs up, so that the two can be told apart. Returns what puts the own one back.
 */
export function watchSocket(
  messages: readonly (IncomingMessage | ServerResponse)[],
  destroyed: (args: readonly unknown[]) => void,
): () => void {
  const restores = messages.map((message) => {
    const own = Object.getOwnPropertyDescriptor(message, 'socket');
    const socket: unknown = message.socket;
    if (typeof socket !== 'object' || socket === null) return () => undefined;
    const value = watched(socket as Socket, destroyed);
    Object.defineProperty(message, 'socket', { value, configurable: true, enumerable: true, writable: true });
    return () => {
      if (message.socket !== value) return;
      if (own === undefined) Reflect.deleteProperty(message, 'socket');
      else Object.defineProperty(message, 'socket', own);
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}

function watched(socket: Socket, destroyed: (args: readonly unknown[]) => void): Socket {
  const proxy: Socket = new Proxy(socket, {
    get: (target, name) => (name === 'destroy' ? destroy : (Reflect.get(target, name, target) as unknown)),
  });
  function destroy(...args: unknown[]): Socket {
    destroyed(args);
    return proxy;
  }
  return proxy;
}
