import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Stands before a Postgres server without TLS, and speaks TLS to its clients. */
export interface TlsFront {
  readonly port: number;
  /** Passes nothing more over the connections that are open now, and leaves them open. New ones work. */
  readonly silence: () => void;
  /** Whether each new connection is reset in place of becoming secure. */
  readonly refuse: (isRefusing: boolean) => void;
  stop(): Promise<void>;
}

export async function tlsFront(
  target: { host: string; port: number },
  certificate: { key: string; cert: string },
): Promise<TlsFront> {
  const connections = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let isRefusing = false;
  const server = createServer((incoming) => {
    connections.add(incoming);
    incoming.on('error', () => undefined);
    incoming.once('data', () => {
      if (isRefusing) {
        incoming.resetAndDestroy();
        return;
      }
      // The first message asks for TLS.
      incoming.write('S');
      const outgoing = connect(target);
      const secure = new TLSSocket(incoming, { isServer: true, ...certificate });
      secure
        .on('error', () => undefined)
        .on('close', () => {
          connections.delete(incoming);
          outgoing.destroy();
        });
      outgoing.on('error', () => undefined).on('close', () => secure.destroy());
      secure.on('data', (chunk: Buffer) => {
        if (!silent.has(incoming)) outgoing.write(chunk);
      });
      outgoing.on('data', (chunk) => {
        if (!silent.has(incoming)) secure.write(chunk);
      });
    });
  }).listen(0, 'localhost');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const connection of connections) silent.add(connection);
    },
    refuse(isNow) {
      isRefusing = isNow;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}
