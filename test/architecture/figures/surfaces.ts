import type * as Core from 'handle-once';
import type * as Http from 'handle-once/http';
import type * as Kafka from 'handle-once/kafka';
import type * as Lambda from 'handle-once/lambda';
import type * as Sqs from 'handle-once/sqs';
import type * as Testing from 'handle-once/testing';

/** An open consumer. */
export interface Surface {
  /** Sends a message, and resolves when it has been handled. */
  readonly send: (id: number) => Promise<unknown>;
  readonly close?: () => Promise<unknown>;
}

export interface Package {
  /** Loads an entry point by its public name. */
  readonly load: <Module>(name: string) => Promise<Module>;
  readonly handleOnceOf: (scope: string) => Core.HandleOnce;
}

type Open = (from: Package, handler: () => string) => Promise<Surface>;

export const SURFACES: Readonly<Record<string, Open>> = {
  async handleOnce({ handleOnceOf }, handler) {
    const handleOnce = handleOnceOf('core');
    return await Promise.resolve({ send: (id) => handleOnce(`order-${id}`, { id }, handler) });
  },

  async 'SQS worker'({ load, handleOnceOf }, handler) {
    const { createFakeQueue } = await load<typeof Testing>('handle-once/testing');
    const { createSqsWorker } = await load<typeof Sqs>('handle-once/sqs');
    const queue = createFakeQueue();
    const { client, queueUrl } = queue;
    const worker = createSqsWorker({ client, queueUrl, handleOnce: handleOnceOf('sqs'), parse }, handler);
    void worker.start();
    return {
      async send(id) {
        queue.send(JSON.stringify({ id }));
        await queue.emptied();
      },
      close: () => worker.stop({ drainMs: 0 }),
    };
  },

  async 'Lambda SQS'({ load, handleOnceOf }, handler) {
    const { onceEachSqsRecord } = await load<typeof Lambda>('handle-once/lambda');
    const onEvent = onceEachSqsRecord({ handleOnce: handleOnceOf('lambda'), parse }, handler);
    const context = { getRemainingTimeInMillis: () => 30_000 };
    return { send: (id) => onEvent({ Records: [sqsRecord(id)] }, context) };
  },

  async Kafka({ load, handleOnceOf }, handler) {
    const { createFakeConsumer } = await load<typeof Testing>('handle-once/testing');
    const { onceEachKafkaMessage } = await load<typeof Kafka>('handle-once/kafka');
    const consumer = createFakeConsumer();
    const options = { groupId: 'billing', fromBeginning: true, onFailed: 'acknowledge' } as const;
    await consumer.subscribe({ topics: ['orders'] });
    await consumer.run(
      onceEachKafkaMessage({ ...options, consumer, handleOnce: handleOnceOf('kafka'), parse }, handler),
    );
    return {
      async send(id) {
        consumer.produce('orders', { value: JSON.stringify({ id }) });
        await consumer.poll();
      },
      close: () => consumer.stop(),
    };
  },

  async HTTP({ load, handleOnceOf }, handler) {
    const { onceEachRequest } = await load<typeof Http>('handle-once/http');
    const options = { handleOnce: handleOnceOf('http'), route: '/orders', principal: () => 'shop' };
    const serve = onceEachRequest(options, () => Response.json(handler()));
    return {
      async send(id) {
        const headers = { 'Idempotency-Key': `"order-${id}"` };
        const request = new Request('http://shop/orders', { method: 'POST', headers, body: '{}' });
        await (await serve(request)).text();
      },
    };
  },
};

function parse(content: string | Buffer | null): unknown {
  return JSON.parse(String(content));
}

function sqsRecord(id: number): Lambda.SqsRecord {
  return {
    messageId: `order-${id}`,
    receiptHandle: 'handle',
    body: JSON.stringify({ id }),
    attributes: {
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: '0',
      SenderId: 'shop',
      SentTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    awsRegion: 'eu-west-1',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:orders',
  };
}
