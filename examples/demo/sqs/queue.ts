import { CreateQueueCommand, PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { startFauxqs } from '../../../test/support/services/fauxqs.ts';
import { externalService, NoServiceError, type Service } from '../../../test/support/services/service.ts';
import { messagesIn } from './messages-in.ts';
import { createQueueClient } from './queue-client.ts';

/** `QUEUE_URL` if it is set, or else a queue in this process. Its `url` is the queue's. */
export async function startQueue(): Promise<Service> {
  const given = externalService('QUEUE_URL');
  return given === undefined ? await startOwnQueue() : await borrowQueue(given.url);
}

async function startOwnQueue(): Promise<Service> {
  const { url: endpoint, stop } = await startFauxqs();
  // Clients find the server by these, here and in the workers.
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'demo',
    AWS_SECRET_ACCESS_KEY: 'demo',
  });
  const client = createQueueClient();
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'orders' }));
  client.destroy();
  return { url: QueueUrl, stop };
}

/** The demo handles and deletes whatever is in its queue, so it takes none that is in use. */
async function borrowQueue(queueUrl: string): Promise<Service> {
  const client = createQueueClient();
  if ((await messagesIn(client, queueUrl)) > 0) {
    throw new NoServiceError('the queue of QUEUE_URL is not empty: the demo needs an empty queue');
  }
  return {
    url: queueUrl,
    async stop() {
      const left = await messagesIn(client, queueUrl);
      if (left > 0) await client.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
      client.destroy();
    },
  };
}
