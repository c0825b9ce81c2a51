import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Target {
  readonly host: string;
  readonly port: number;
}

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
  /** Says to the clients of the connections that are open now that no answer will come, and still takes requests. */
  halfClose(): void;
  /** Cuts a connection in place of passing on an answer that `isLost` picks. */
  loseReplies(isLost: (reply: Buffer) => boolean): void;
  /** Breaks the connection of the next request with this text in place of passing it on. */
  breakAt(text: string, how: 'reset' | 'end'): void;
  /** Connects new connections to another server. */
  redirect(target: Target): void;
}

export async function tcpProxy(firstTarget: Target): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let target = firstTarget;
  let server: Server;
  let delayMs = 0;
  let port = 0;
  let isLost: (reply: Buffer) => boolean = () => false;
  let breaking: { text: string; how: 'reset' | 'end' } | undefined;

  function accept(client: Socket): void {
    const remote = connect(target);
    clients.add(client);
    client.on('close', () => clients.delete(client));
    pass(client, remote, (chunk) => {
      if (breaking === undefined || !chunk.includes(breaking.text)) {
        remote.write(chunk);
        return;
      }
      if (breaking.how === 'reset') client.resetAndDestroy();
      else client.destroy();
      breaking = undefined;
    });
    pass(remote, client, replies(client));
  }

  function pass(from: Socket, to: Socket, write: (chunk: Buffer) => void): void {
    sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (!silent.has(from)) to.destroy();
    });
    from.on('data', (chunk) => {
      if (!silent.has(from)) write(chunk);
    });
    from.on('end', () => to.end());
  }

  /** Passes on answers, in their order also when the delay changes. */
  function replies(client: Socket): (reply: Buffer) => void {
    let last = Promise.resolve();
    return (reply) => {
      if (isLost(reply)) {
        client.destroy();
        return;
      }
      const waiting = delayMs > 0 ? sleep(delayMs) : undefined;
      last = last
        .then(() => waiting)
        .then(() => {
          if (client.writable) client.write(reply);
        });
    };
  }

  async function mend(): Promise<void> {
    server = createServer(accept).listen(port, '127.0.0.1');
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
    halfClose() {
      for (const client of clients) client.end();
    },
    loseReplies(picks) {
      isLost = picks;
    },
    breakAt(text, how) {
      breaking = { text, how };
    },
    redirect(other) {
      target = other;
    },
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
