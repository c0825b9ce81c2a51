import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';

/** Length 8, and the code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 'S';

/** Where the client has no limit: a handshake that hangs would hold its place in the pool without end. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** Asks a Postgres server for TLS on a connection, and gives the socket when it is secure. */
export async function overTls(
  connection: Socket,
  host: string | undefined,
  options: ConnectionOptions,
  timeoutMs: number,
): Promise<Socket> {
  const limitMs = timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS;
  const aborter = new AbortController();
  const { signal } = aborter;
  const timer = setTimeout(() => {
    aborter.abort(timedOut(limitMs));
  }, limitMs);
  const close = (): void => {
    aborter.abort(closed());
  };
  connection.once('close', close);
  try {
    connection.write(SSL_REQUEST);
    const [answer] = (await once(connection, 'data', { signal })) as [Buffer];
    if (answer.toString() !== ACCEPTED) throw refused();
    const servername = host === undefined || isIP(host) !== 0 ? undefined : host;
    const secure = connect({ socket: connection, ...(servername && { servername }), ...options });
    // Once given up it has no other listener, and an error of it would end the process.
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    connection.destroy();
    // What the socket says itself comes before its close.
    throw (error as Error).name === 'AbortError' ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    connection.off('close', close);
  }
}

function refused(): Error {
  const message = 'the server does not offer TLS: turn it on there, or leave ssl out of guardedSocket';
  return Object.assign(new Error(message), { code: 'TLS_REFUSED' });
}

function closed(): Error {
  const message = 'the server closed the connection before it was secure';
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}

function timedOut(timeoutMs: number): Error {
  return Object.assign(new Error(`no TLS connection within ${timeoutMs} ms`), { code: 'CONNECT_TIMEOUT' });
}
