import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createQueue, queueArn, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { startExample } from './support/example.ts';
import { programOf } from '../support/program.ts';
import { records } from './support/records.ts';

const client = useSqs('elasticmq');
const { sql, url } = useDatabase();
const module = programOf('examples/lambda-sqs.ts');

it('charges each order once, and leaves what is none to the redrive policy', async () => {
  const queueUrl = await createQueue(client, { visibilityTimeoutSeconds: 1 });
  const bodies = [
    '{"id":"order-1","cents":995}',
    '{"id":"order-2","cents":1995}',
    '{"id":"order-3","cents":-1}',
  ];
  for (const body of bodies) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  }
  const example = startExample('../test/examples/support/run-lambda.ts', { DATABASE_URL: url }, [
    module,
    sqsEndpoint('elasticmq'),
    queueUrl,
    await queueArn(client, queueUrl),
  ]);
  await expect
    .poll(async () => (await records(sql)).map(({ state }) => state).toSorted(), { timeout: 20_000 })
    .toEqual(['failed', 'succeeded', 'succeeded']);
  await example.prints('1 reported');
  example.signal('SIGTERM');

  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output().match(/^charge (995|1995) cents for order-[12], key [0-9a-f]{12}$/gm)).toHaveLength(
    2,
  );
  expect(example.output()).not.toMatch(/[2-9] reported/);
});
