/**
 * Webhooks, received over HTTP, put on SQS and handled by a worker. Senders repeat a delivery until they see a 2xx;
 * the delivery's id is the key, so each is handled once. (With GitHub the header is `x-github-delivery`.)
 *
 *     DATABASE_URL=... QUEUE_URL=... PORT=8080 npx tsx examples/webhook-worker.ts
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, migrate } from 'handle-once';
import { createSqsWorker } from 'handle-once/sqs';
import postgres from 'postgres';
import { required } from './environment.ts';

const sql = postgres(required('DATABASE_URL'));
await migrate(sql);
const client = new SQSClient();
const queueUrl = required('QUEUE_URL');

const worker = createSqsWorker({
  client,
  queueUrl,
  handleOnce: createHandleOnce({ sql, scope: 'webhooks', leaseMs: 5_000 }),
  waitTimeSeconds: 5, // a stop waits for the receive that is under way
  key: (message) => message.MessageAttributes?.['DeliveryId']?.StringValue,
  handler: (event, attempt) => {
    console.log(`delivery ${attempt.key}:`, event);
  },
});

async function enqueue(request: IncomingMessage): Promise<number> {
  const id = request.headers['x-delivery-id'];
  if (typeof id !== 'string') return 400;
  const MessageAttributes = { DeliveryId: { DataType: 'String', StringValue: id } };
  const MessageBody = await text(request);
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, MessageAttributes }));
  return 202;
}

const server = createServer((request, response) => {
  void enqueue(request)
    .catch(() => 503) // not on the queue: the sender repeats it
    .then((status) => response.writeHead(status).end());
});

process.once('SIGTERM', () => {
  server.close();
  void worker.stop().then(() => sql.end({ timeout: 5 }));
});
await worker.start();
await once(server.listen(Number(process.env['PORT'] ?? 0)), 'listening');
console.log('listening on', server.address());
