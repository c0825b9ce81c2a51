import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { messagesIn } from '../../examples/demo/sqs/messages-in.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { createQueue, createQueueWithRedrive, drain, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { awsEnvironment, startExample } from './support/example.ts';
import { records } from './support/records.ts';

const SUCCEEDED = { scope: 'billing', state: 'succeeded', attempts: 1 };
const INVALID = { scope: 'billing', state: 'failed', attempts: 1, failed_reason: 'invalid-payload' };

const client = useSqs('elasticmq');
const orders = ['{"id":"order-1","cents":995}', '{"id":"order-2","cents":1995}'];
const invalid = '{"id":"order-3","cents":-1}';

async function send(queueUrl: string, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  }
}

async function queueIsEmpty(queueUrl: string): Promise<void> {
  await expect.poll(() => messagesIn(client, queueUrl), { timeout: 20_000 }).toBe(0);
}

describe.each(['sqs-worker.ts', 'sqs-consumer.ts'])('%s', (file) => {
  const { sql, url } = useEmptyDatabase();

  it('handles orders, dead-letters what is none, and stops on SIGTERM', async () => {
    const queueUrl = await createQueue(client);
    const deadLetterQueueUrl = await createQueue(client);
    await send(queueUrl, [...orders, invalid]);
    const example = startExample(file, {
      ...awsEnvironment(sqsEndpoint('elasticmq')),
      DATABASE_URL: url,
      QUEUE_URL: queueUrl,
      DEAD_LETTER_QUEUE_URL: deadLetterQueueUrl,
    });
    await queueIsEmpty(queueUrl);
    example.signal('SIGTERM');

    expect(await example.exitCode(), example.output()).toBe(0);
    expect(example.output()).toMatch(/^stopped$/m);
    expect(example.output().match(/^charge /gm)).toHaveLength(2);
    const rows = await records(sql);
    expect(rows.toSorted((a, b) => b.state.localeCompare(a.state))).toMatchObject([
      SUCCEEDED,
      SUCCEEDED,
      INVALID,
    ]);
    expect(await drain(client, deadLetterQueueUrl)).toMatchObject([
      {
        Body: invalid,
        MessageAttributes: {
          HandleOnceError: { StringValue: expect.stringMatching(/^InvalidPayloadError: ./) as string },
        },
      },
    ]);
  });
});

describe('sqs-own-loop.ts', () => {
  const { sql, url } = useEmptyDatabase();

  it('handles orders, and stops on SIGTERM', async () => {
    const queueUrl = await createQueueWithRedrive(client);
    await send(queueUrl, orders);
    const example = startExample('sqs-own-loop.ts', {
      ...awsEnvironment(sqsEndpoint('elasticmq')),
      DATABASE_URL: url,
      QUEUE_URL: queueUrl,
    });
    await queueIsEmpty(queueUrl);
    example.signal('SIGTERM');

    expect(await example.exitCode(), example.output()).toBe(0);
    expect(example.output()).not.toContain('HandleOnceWarning');
    expect(example.output().match(/^acknowledged succeeded$/gm)).toHaveLength(2);
    expect(await records(sql)).toMatchObject([SUCCEEDED, SUCCEEDED]);
  });
});
