import type { ISocketFactory } from 'kafkajs';
import { connect, type Socket } from 'node:net';

/** The sockets of one client. */
export interface Sockets {
  readonly factory: ISocketFactory;
  /** Resolves when none of those that were ended is open. */
  closed(): Promise<void>;
}

export function trackSockets(): Sockets {
  const open = new Map<Socket, Promise<void>>();
  return {
    factory({ host, port, onConnect }) {
      const socket = connect({ host, port }, onConnect);
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => {
          open.delete(socket);
          resolve();
        });
      });
      open.set(socket, closed);
      return socket;
    },
    async closed() {
      const ended = [...open].filter(([socket]) => socket.writableEnded);
      await Promise.all(ended.map(([, closed]) => closed));
    },
  };
}
