import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { guardedSocket } from '../../adapters/clients/index.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** The error of a connection over TLS to a server that does this when it is asked for TLS. */
async function errorOf(onRequest: (connection: Socket) => void): Promise<unknown> {
  const server = createServer((connection) => {
    connection
      .on('error', () => undefined)
      .once('data', () => {
        onRequest(connection);
      });
    onTestFinished(() => {
      connection.destroy();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { socket } = guardedSocket({ ssl: true });
  const given = await socket({ host: ['127.0.0.1'], port: [port], connect_timeout: 0 });
  const [error] = (await once(given, 'error')) as unknown[];
  return error;
}

test('a server that closes the connection when it is asked for TLS is an error', async () => {
  expect(await errorOf((connection) => connection.end())).toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('a server that closes the connection in the middle of the handshake is an error', async () => {
  expect(await errorOf((connection) => connection.end('S'))).toMatchObject({
    code: expect.stringMatching(/^(CONNECTION_CLOSED|ECONNRESET)$/) as string,
  });
});

test('a server that never answers is given up after 30 seconds where the client has no limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  expect(await errorOf(() => vi.advanceTimersByTime(30_000))).toMatchObject({ code: 'CONNECT_TIMEOUT' });
});
