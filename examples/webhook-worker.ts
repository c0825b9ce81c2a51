/**
 * Webhooks, verified, put on SQS and handled by a worker, for work that takes longer than senders wait. Senders repeat
 * a delivery until they see a 2xx; the delivery's id is the key, so each is handled once. One that fails permanently
 * stays in the queue, whose redrive policy moves it to a dead-letter queue.
 *
 * DATABASE_URL=... QUEUE_URL=... WEBHOOK_SECRET=whsec_... PORT=8080 npx tsx examples/webhook-worker.ts
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, migrate, retention } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { createSqsWorker } from 'handle-once/sqs';
import { webhookId } from 'handle-once/webhook';
import postgres from 'postgres';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { required } from './environment.ts';

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records
const client = new SQSClient();
const queueUrl = required('QUEUE_URL');
const webhook = new Webhook(required('WEBHOOK_SECRET'));

const worker = createSqsWorker(
  {
    client,
    queueUrl,
    handleOnce: createHandleOnce({ sql, scope: 'webhooks', leaseMs: 5_000, ...retention.webhook }),
    key: (message) => message.MessageAttributes?.['DeliveryId']?.StringValue,
  },
  (event, attempt) => {
    console.log(`delivery ${attempt.key}:`, event);
  },
);

async function enqueue(request: IncomingMessage): Promise<number> {
  const delivery = { headers: request.headers, body: await text(request) };
  webhook.verify(delivery.body, request.headers as Record<string, string>);
  const id = webhookId('standard-webhooks', delivery);
  const MessageAttributes = { DeliveryId: { DataType: 'String', StringValue: id } };
  const message = { QueueUrl: queueUrl, MessageBody: delivery.body, MessageAttributes };
  await client.send(new SendMessageCommand(message));
  return 202;
}

const server = createServer((request, response) => {
  void enqueue(request)
    // What is not on the queue is not acknowledged, and its sender repeats it.
    .catch((error: unknown) => (error instanceof WebhookVerificationError ? 401 : 503))
    .then((status) => response.writeHead(status).end());
});

async function stop(): Promise<void> {
  server.close();
  await worker.stop();
  await maintenance.stop();
  await sql.end({ timeout: 5 });
}

process.once('SIGTERM', () => void stop());
await worker.start();
await once(server.listen(Number(process.env['PORT'] ?? 0)), 'listening');
console.log('listening on', server.address());
