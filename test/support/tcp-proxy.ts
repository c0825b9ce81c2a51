import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut and restored. */
export interface TcpProxy {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Passes nothing more over the connections that are open now, and leaves them open. New ones work. */
  silence(): void;
  /** Passes on what the server answers from now on so much later. */
  delayReplies(milliseconds: number): void;
}

export async function tcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let server: Server;
  let delayMs = 0;
  let port = 0;

  async function mend(): Promise<void> {
    server = createServer((incoming) => {
      const outgoing = connect(target);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          sockets.delete(from);
          if (!silent.has(from)) to.destroy();
        });
        from.on('data', (chunk) => {
          if (silent.has(from)) return;
          if (from === outgoing && delayMs > 0) setTimeout(() => to.write(chunk), delayMs);
          else to.write(chunk);
        });
        from.on('end', () => to.end());
      }
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }

  await mend();
  return {
    port,
    mend,
    silence() {
      for (const socket of sockets) silent.add(socket);
    },
    delayReplies(milliseconds) {
      delayMs = milliseconds;
    },
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
