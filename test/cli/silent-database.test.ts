import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { freezableDatabase, untilLocked } from '../support/freezable-database.ts';
import { createSqsClient } from '../support/sqs-client.ts';
import { createQueue, sqsEndpoint } from '../support/sqs.ts';
import { useCommand } from './run-command.ts';

const { sql, url } = useDatabase();
const start = useCommand(url);

test('a walk that a signal ends gives up a database that gives no answer', async () => {
  const { through, freeze } = await freezableDatabase(url);
  const ended = await sql.begin(async (tx) => {
    await tx`lock table handle_once.maintenance in access exclusive mode`;
    const running = start('maintain', { DATABASE_URL: through });
    await untilLocked(sql, 'handle_once.maintenance');
    freeze();
    running.child.kill('SIGTERM');
    return await running.ended;
  });
  expect(ended).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /^handle-once: (the store gave no reply within 3000 ms|stopped by a signal, )[^\n]*\n$/,
    ) as string,
  });
});

test('so does a redrive', async () => {
  const client = createSqsClient(sqsEndpoint('elasticmq'));
  onTestFinished(() => {
    client.destroy();
  });
  const [deadLetters, queue] = [await createQueue(client), await createQueue(client)];
  await client.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: '1' }));
  const { through, freeze } = await freezableDatabase(url);
  const ended = await sql.begin(async (tx) => {
    await tx`lock table handle_once.records in access exclusive mode`;
    const running = start(`redrive --from ${deadLetters} --to ${queue} --scope billing`, {
      ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...{ AWS_ENDPOINT_URL_SQS: sqsEndpoint('elasticmq'), DATABASE_URL: through },
    });
    await untilLocked(sql, 'handle_once.records');
    freeze();
    running.child.kill('SIGTERM');
    return await running.ended;
  });
  expect(ended).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(/^handle-once: stopped by a signal, [^\n]*\n$/) as string,
  });
});

test('--timeout bounds the whole of a command, however many answers come in time', async () => {
  const { through, slowDown } = await freezableDatabase(url);
  slowDown(500);
  const ended = await start('doctor --timeout 3s', { DATABASE_URL: through }).ended;
  expect(ended).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(/^handle-once: there was no answer within 3s[^\n]*\n$/) as string,
  });
});
