import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { messageReader } from './protocol-messages.ts';

const SYNC = 'S';
const SIMPLE_QUERY = 'Q';
const TERMINATE = 'X';
const READY_FOR_QUERY = 'Z';
const IDLE = 'I'.charCodeAt(0);

interface ServerSession {
  readonly socket: Socket;
  user: Client | undefined;
}

interface Client {
  readonly socket: Socket;
  readonly unsent: Buffer[];
  session: ServerSession | undefined;
  /** Requests that the server has not answered yet. */
  unanswered: number;
  /** Whether it has sent a part of a request, such as a Parse. Its session has the other part too. */
  isWithinRequest: boolean;
}

/**
 * Stands between clients and a server as a pooler in transaction mode does: between two transactions a client's
 * server session is given to others, and each transaction of a client may meet another session.
 *
 * Every client logs in on a session of its own, which then joins the pool; the one idle longest is used next.
 */
async function startTransactionPooler(serverUrl: string) {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const idle: ServerSession[] = [];
  const queue: Client[] = [];

  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.setNoDelay().on('error', () => socket.destroy());
  }

  function serve(): void {
    while (idle.length > 0 && queue.length > 0) {
      const session = idle.shift() as ServerSession;
      const client = queue.shift() as Client;
      session.user = client;
      client.session = session;
      for (const message of client.unsent.splice(0)) session.socket.write(message);
    }
  }

  function onServerMessage(session: ServerSession, type: string, message: Buffer): void {
    const { user } = session;
    user?.socket.write(message);
    if (type !== READY_FOR_QUERY || user === undefined) return;
    user.unanswered -= 1;
    if (user.unanswered > 0 || user.isWithinRequest || message[5] !== IDLE) return;
    user.session = undefined;
    session.user = undefined;
    idle.push(session);
    serve();
  }

  function onClientMessage(client: Client, type: string, message: Buffer): void {
    if (type === TERMINATE) return;
    client.isWithinRequest = type !== SYNC && type !== SIMPLE_QUERY;
    if (!client.isWithinRequest) client.unanswered += 1;
    if (client.session !== undefined) {
      client.session.socket.write(message);
      return;
    }
    client.unsent.push(message);
    if (!queue.includes(client)) queue.push(client);
    serve();
  }

  const server = createServer((socket) => {
    track(socket).once('data', (startup: Buffer) => {
      const session: ServerSession = { socket: track(connect(Number(port), hostname)), user: undefined };
      // The end of the login is answered by "ready for query", as a request is.
      const client: Client = { socket, unsent: [], session, unanswered: 1, isWithinRequest: false };
      session.user = client;
      session.socket.write(startup);
      // A server that refuses the login closes the connection: without an end of its own the client would wait on.
      session.socket.on('close', () => session.user?.socket.destroy());
      socket.on('close', () => {
        if (client.session === undefined) return;
        client.session.socket.destroy();
      });
      session.socket.on(
        'data',
        messageReader((type, message) => {
          onServerMessage(session, type, message);
        }),
      );
      socket.on(
        'data',
        messageReader((type, message) => {
          onClientMessage(client, type, message);
        }),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A database's URL by way of a pooler in transaction mode, which runs while the calling file's tests do. */
export function useTransactionPooler(serverUrl: string): () => string {
  let pooler: Awaited<ReturnType<typeof startTransactionPooler>> | undefined;
  beforeAll(async () => {
    pooler = await startTransactionPooler(serverUrl);
  });
  afterAll(() => pooler?.stop());
  return () => {
    const url = new URL(serverUrl);
    url.host = `127.0.0.1:${pooler?.port}`;
    return url.href;
  };
}
