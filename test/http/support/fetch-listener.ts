import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** A Fetch handler behind `node:http`. */
export function fetchListener(handle: (request: Request) => Promise<Response>): RequestListener {
  return (incoming, outgoing) => {
    void answer(handle, incoming, outgoing).catch(() => {
      outgoing.writeHead(500).end();
    });
  };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const hangUp = new AbortController();
  outgoing.on('close', () => {
    hangUp.abort();
  });
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const body = method === 'GET' ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  const init = { method, headers, body, duplex: 'half', signal: hangUp.signal } as const;
  const response = await handle(new Request(`http://${incoming.headers.host ?? ''}${url}`, init));
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
