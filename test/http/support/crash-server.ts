import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandleOnce } from 'handle-once';
import { attemptOf, type HttpAttempt, onceEachNodeRequest, onceEachRequest } from 'handle-once/http';
import postgres from 'postgres';
import type { CrashOrder, CrashPoint } from './crash-order.ts';
import { fetchListener } from './fetch-listener.ts';

/** Serves until it dies where it was told to. Prints its URL. */
const order = JSON.parse(process.argv[2] ?? '') as CrashOrder;
const sql = postgres(order.url, { max: 3 });

function reach(point: CrashPoint): void {
  if (point !== order.dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  // Not one statement more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const options = {
  handleOnce: createHandleOnce({
    sql,
    scope: 'api',
    onEvent({ type }) {
      if (type === 'claimed') reach('after-claim');
      if (type === 'succeeded') reach('after-settle');
    },
  }),
  route: '/orders',
  principal: () => {
    reach('before-claim');
    return 'alice';
  },
};

async function work(attempt: HttpAttempt | undefined): Promise<string> {
  const key = attempt?.requestKey ?? '';
  await sql`insert into runs values (${key})`;
  reach('in-handler');
  await sql`insert into effects values (${attempt?.childKey('effect') ?? ''}) on conflict do nothing`;
  reach('after-effect');
  return `done by attempt ${attempt?.number ?? 0}`;
}

/** A body that is made when the adapter reads it: after the handler, and before the settle. */
function bodyOf(text: string): ReadableStream<Uint8Array> {
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      reach('after-handler');
      controller.enqueue(Buffer.from(text));
      controller.close();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

const listeners: Record<CrashOrder['server'], RequestListener> = {
  fetch: fetchListener(
    onceEachRequest(
      options,
      async (_, attempt) => new Response(bodyOf(await work(attempt)), { status: 201 }),
    ),
  ),
  node: (request, response) => {
    const once = onceEachNodeRequest(options);
    void once(request, response, async () => {
      response.writeHead(201).end(await work(attemptOf(request)));
      reach('after-handler');
    });
  },
};

const server = createServer(listeners[order.server]);
await once(server.listen(0, '127.0.0.1'), 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
