import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { createQueueWithRedrive, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { awsEnvironment, startExample } from './support/example.ts';
import { records } from './support/records.ts';
import { senderTo, WEBHOOK_SECRET } from './support/sender.ts';

const client = useSqs('elasticmq');

describe('webhook-worker.ts', () => {
  const { sql, url } = useEmptyDatabase();

  it('handles a delivery once that is sent three times, and refuses a forged one', async () => {
    const example = startExample('webhook-worker.ts', {
      ...awsEnvironment(sqsEndpoint('elasticmq')),
      DATABASE_URL: url,
      QUEUE_URL: await createQueueWithRedrive(client),
      WEBHOOK_SECRET,
      PORT: '0',
    });
    const sender = await senderTo(example);
    const body = '{"action":"opened"}';
    expect(await sender.forge('c', body)).toBe(401);
    for (const id of ['a', 'a', 'a', 'b']) expect(await sender.send(id, body)).toBe(202);
    await example.prints('delivery a');
    await example.prints('delivery b');
    example.signal('SIGTERM');

    expect(await example.exitCode(), example.output()).toBe(0);
    expect(example.output().match(/^delivery a: { action: 'opened' }$/gm)).toHaveLength(1);
    expect(await records(sql)).toMatchObject([
      { scope: 'webhooks', key: 'a', state: 'succeeded', attempts: 1 },
      { scope: 'webhooks', key: 'b', state: 'succeeded', attempts: 1 },
    ]);
  });
});
