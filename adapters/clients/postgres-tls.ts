import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';

/** Length 8, and the code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 'S';

/** Asks a Postgres server for TLS on a connection, and gives the socket when it is secure. */
export async function overTls(
  connection: Socket,
  host: string | undefined,
  options: ConnectionOptions,
  timeoutMs: number,
): Promise<Socket> {
  const signal = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
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
    throw signal?.aborted === true ? timedOut(timeoutMs) : error;
  }
}

function refused(): Error {
  const message = 'the server has no TLS: turn it on there, or leave ssl out of guardedSocket';
  return Object.assign(new Error(message), { code: 'TLS_REFUSED' });
}

function timedOut(timeoutMs: number): Error {
  return Object.assign(new Error(`no TLS connection within ${timeoutMs} ms`), { code: 'CONNECT_TIMEOUT' });
}
