/**
 * Webhooks, handled while their sender waits. Senders repeat a delivery until they see a 2xx; each is verified, and
 * handled once by the id that its sender gave it.
 *
 *     DATABASE_URL=... WEBHOOK_SECRET=whsec_... PORT=8080 npx tsx examples/webhook-receiver.ts
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createHandleOnce, migrate, retention } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { onceEachWebhook } from 'handle-once/webhook';
import postgres from 'postgres';
import { Webhook } from 'standardwebhooks';
import { required } from './environment.ts';

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records
const webhook = new Webhook(required('WEBHOOK_SECRET'));

const handleWebhook = onceEachWebhook(
  {
    handleOnce: createHandleOnce({ sql, scope: 'webhooks', leaseMs: 5_000, ...retention.webhook }),
    source: 'standard-webhooks',
    verify: ({ headers, body }) => {
      webhook.verify(body, headers); // throws when the signature does not hold
      return true;
    },
  },
  (event, attempt) => {
    console.log(`delivery ${attempt.key}:`, event);
  },
);

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { answer } = await handleWebhook({ headers: request.headers, body: await buffer(request) });
  if (answer.retryAfterSeconds !== undefined) response.setHeader('Retry-After', answer.retryAfterSeconds);
  response.writeHead(answer.status).end();
}

const server = createServer((request, response) => {
  void receive(request, response).catch(() => response.destroy()); // the sender hung up, and repeats it
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
