/**
 * An API whose clients retry with `Idempotency-Key`: a Fetch handler, as Hono, Next.js, Bun and Deno take it. Here
 * `node:http` serves it. Run it, and send the same request twice.
 *
 *     DATABASE_URL=... PORT=8080 npx tsx examples/http-fetch.ts
 *     curl -i -H 'Authorization: Bearer alice' -H 'Idempotency-Key: "1"' -d '{"cents":995}' localhost:8080/orders
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createHandleOnce, migrate, retention } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { startMaintenance } from 'handle-once/operations';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ cents: z.int() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records

const createOrder = onceEachRequest(
  {
    handleOnce: createHandleOnce({ sql, scope: 'shop', ...retention.payment }),
    route: '/orders',
    // Here you would verify the token: who sends a request must not be taken from it unchecked.
    principal: (request) => request.headers.get('authorization') ?? '',
  },
  async (request, attempt) => {
    const order = Order.safeParse(await request.json().catch(() => undefined));
    if (!order.success) return Response.json({ error: z.prettifyError(order.error) }, { status: 400 });
    const { cents } = order.data;
    // Here you would charge the card, with this key: the provider then charges once, however often you ask.
    const id = attempt.childKey('charge').slice(0, 12);
    console.log(`charged ${cents} for order ${id}`);
    return Response.json({ id, cents }, { status: 201, headers: { location: `/orders/${id}` } });
  },
);

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(incoming) as ReadableStream);
  const request = new Request(new URL(url, 'http://localhost'), { method, headers, body, duplex: 'half' });
  const isOrder = method === 'POST' && new URL(request.url).pathname === '/orders';
  const response = isOrder ? await createOrder(request) : new Response(null, { status: 404 });
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

const server = createServer((incoming, outgoing) => {
  void serve(incoming, outgoing).catch((error: unknown) => {
    console.error(error);
    outgoing.writeHead(500).end();
  });
});

async function stop(): Promise<void> {
  server.close();
  await once(server, 'close');
  await maintenance.stop();
  await sql.end({ timeout: 5 });
}

process.once('SIGTERM', () => void stop());
await once(server.listen(Number(process.env['PORT'] ?? 0)), 'listening');
console.log('listening on', server.address());
