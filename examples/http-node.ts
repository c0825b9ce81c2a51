/**
 * The same as middleware, `(request, response, next)`, as Express takes it: `app.post('/orders', authenticate, once,
 * express.json(), createOrder)`. Here `node:http` serves it.
 *
 *     DATABASE_URL=... PORT=8080 npx tsx examples/http-node.ts
 *     curl -i -H 'Authorization: Bearer alice' -H 'Idempotency-Key: "1"' -d '{"cents":995}' localhost:8080/orders
 */
import { once as onceEmitted } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { createHandleOnce, migrate, retention } from 'handle-once';
import { attemptOf, onceEachNodeRequest } from 'handle-once/http';
import { startMaintenance } from 'handle-once/operations';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ cents: z.int() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records

const once = onceEachNodeRequest({
  handleOnce: createHandleOnce({ sql, scope: 'shop', ...retention.payment }),
  route: '/orders',
  // Here you would verify the token: who sends a request must not be taken from it unchecked.
  principal: (request) => request.headers.authorization ?? '',
});

async function createOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = Order.safeParse(await json(request).catch(() => undefined));
  if (!order.success) {
    response.writeHead(400).end(z.prettifyError(order.error));
    return;
  }
  const { cents } = order.data;
  // Here you would charge the card, with this key: the provider then charges once, however often you ask.
  const id = attemptOf(request)?.childKey('charge').slice(0, 12);
  console.log(`charged ${cents} for order ${id}`);
  response.writeHead(201, { 'content-type': 'application/json', location: `/orders/${id}` });
  response.end(JSON.stringify({ id, cents }));
}

const server = createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== '/orders') {
    response.writeHead(404).end();
    return;
  }
  once(request, response, () => createOrder(request, response)).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});

async function stop(): Promise<void> {
  server.close();
  await onceEmitted(server, 'close');
  await maintenance.stop();
  await sql.end({ timeout: 5 });
}

process.once('SIGTERM', () => void stop());
await onceEmitted(server.listen(Number(process.env['PORT'] ?? 0)), 'listening');
console.log('listening on', server.address());
