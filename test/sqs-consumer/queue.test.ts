import { SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type BatchAttempt, TerminalError } from 'handle-once';
import { expect, test, vi } from 'vitest';
import { useFixture } from '../sqs/support/fixture.ts';
import { sendMany } from '../sqs/support/send-many.ts';
import { createQueue, drain, queueArn } from '../support/sqs.ts';
import { consume, wrapperNames } from './support/consume.ts';

const fixture = useFixture('fauxqs');
const { client } = fixture;

const terminal = (): never => {
  throw new TerminalError('never');
};

/** The real client, which refuses one verb. */
function refusing(verb: string): SQSClient {
  const send = (command: object, ...rest: unknown[]): unknown =>
    command.constructor.name === `${verb}Command`
      ? Promise.reject(new Error(`${verb} refused`))
      : client.send(command as never, ...(rest as []));
  return { send } as unknown as SQSClient;
}

test('a dead letter has the original body and attributes, and why it is there', async () => {
  const setup = await fixture.setup();
  const deadLetterQueueUrl = await createQueue(client);
  await setup.send('{"order":1}', { attributes: { Tenant: { DataType: 'String', StringValue: 'acme' } } });
  const { queueUrl, handleOnce, scope } = setup;
  const onFailed = { deadLetterQueueUrl };
  const settings = { queueUrl, visibilityTimeout: 30 };
  consume('handleMessage', client, { settings, handleOnce, onFailed }, terminal);
  await setup.empty();
  expect(await drain(client, deadLetterQueueUrl)).toMatchObject([
    {
      Body: '{"order":1}',
      MessageAttributes: {
        Tenant: { StringValue: 'acme' },
        HandleOnceScope: { StringValue: scope },
        HandleOnceError: { StringValue: 'TerminalError: never' },
        HandleOnceAttempts: { StringValue: '1' },
      },
    },
  ]);
});

test('a message whose dead letter is refused stays', async () => {
  const setup = await fixture.setup();
  const deadLetterQueueUrl = await createQueue(client);
  await setup.send('"order"');
  const { queueUrl, handleOnce } = setup;
  const settings = { queueUrl, visibilityTimeout: 30 };
  const sqs = refusing('SendMessage');
  const options = { settings, handleOnce, onFailed: { deadLetterQueueUrl } };
  const { ofType, stopped, told } = consume('handleMessage', sqs, options, terminal);
  await vi.waitUntil(() => ofType('kept').length === 1, 10_000);
  await stopped();
  expect(ofType('kept')).toMatchObject([{ reason: 'dead-letter-refused' }]);
  expect(ofType('dead-letter-error')).toMatchObject([{ to: deadLetterQueueUrl }]);
  expect(told).toEqual([]);
  expect(await setup.size()).toEqual({ visible: 0, invisible: 1 });
});

test('a backoff that cannot be set is told, and the message stays for its visibility timeout', async () => {
  const setup = await fixture.setup();
  await setup.send('"order"');
  const { queueUrl, handleOnce } = setup;
  const settings = { queueUrl, visibilityTimeout: 30 };
  const sqs = refusing('ChangeMessageVisibilityBatch');
  const { ofType, stopped, told } = consume('handleMessage', sqs, { settings, handleOnce }, () => {
    throw new Error('not now');
  });
  await vi.waitUntil(() => ofType('kept').length === 1, 10_000);
  await stopped();
  expect(ofType('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: undefined }]);
  expect(ofType('queue-error')).toMatchObject([{ verb: 'change-visibility' }]);
  expect(told).toEqual([]);
});

test('a delete that fails has the message delivered again, and replayed', async () => {
  const setup = await fixture.setup();
  await setup.send('"order"');
  const { queueUrl, handleOnce } = setup;
  const settings = { queueUrl, visibilityTimeout: 2 };
  let runs = 0;
  const handler = (): void => {
    runs += 1;
  };
  const failing = consume('handleMessage', refusing('DeleteMessage'), { settings, handleOnce }, handler);
  await vi.waitUntil(() => failing.told.includes('error'), 10_000);
  await failing.stopped();
  const next = consume('handleMessage', client, { settings, handleOnce }, handler);
  await setup.empty();
  expect(next.ofType('replayed')).toMatchObject([{ state: 'succeeded' }]);
  expect(runs).toBe(1);
});

test('settings of the queue that will surprise are told once, with the first messages', async () => {
  const deadLetterQueueUrl = await createQueue(client);
  const redrive = { deadLetterQueueUrl, maxReceiveCount: 3 };
  const setup = await fixture.setup({ redrive }, { maxAttempts: 5, succeededRetentionMs: 60_000 });
  const { queueUrl, handleOnce } = setup;
  const settings = { queueUrl, visibilityTimeout: 30 };
  const { ofType } = consume('handleMessage', client, { settings, handleOnce }, () => undefined);
  for (const body of ['"a"', '"b"']) await setup.send(body);
  await setup.empty();
  await vi.waitUntil(() => ofType('acknowledged').length === 2, 10_000);
  expect(ofType('warning').map(({ warning }) => warning)).toEqual([
    'RETENTION_TOO_SHORT',
    'MAX_RECEIVE_COUNT_TOO_LOW',
  ]);
});

test('attributes that may not be read are told, and hold nothing up', async () => {
  const setup = await fixture.setup();
  await setup.send('"order"');
  const { queueUrl, handleOnce } = setup;
  const settings = { queueUrl, visibilityTimeout: 30 };
  const sqs = refusing('GetQueueAttributes');
  const { ofType } = consume('handleMessage', sqs, { settings, handleOnce }, () => undefined);
  await vi.waitUntil(() => ofType('acknowledged').length === 1, 10_000);
  expect(ofType('warning')).toMatchObject([{ warning: 'QUEUE_ATTRIBUTES_UNREADABLE' }]);
});

test("by default a failed message stays, for the queue's redrive policy", async () => {
  const deadLetterQueueUrl = await createQueue(client);
  const redrive = { deadLetterQueueUrl, maxReceiveCount: 2 };
  const setup = await fixture.setup({ redrive }, { leaseMs: 600, maxAttempts: 1 });
  const { queueUrl, handleOnce } = setup;
  const messageId = await setup.send('"order"');
  const settings = { queueUrl, visibilityTimeout: 2 };
  const options = { settings, handleOnce, onFailed: undefined };
  const { ofType } = consume('handleMessage', client, options, terminal);
  await setup.empty();
  expect(await drain(client, deadLetterQueueUrl)).toMatchObject([{ MessageId: messageId, Body: '"order"' }]);
  expect(ofType('kept').map(({ reason }) => reason)).toEqual(['failed', 'failed']);
});

test('neither a redrive policy nor onFailed is warned of, with how often a failed message comes back', async () => {
  const setup = await fixture.setup();
  const { queueUrl, handleOnce } = setup;
  await setup.send('"order"');
  const options = { settings: { queueUrl, visibilityTimeout: 30 }, handleOnce, onFailed: undefined };
  const { ofType } = consume('handleMessage', client, options, () => undefined);
  await vi.waitUntil(() => ofType('acknowledged').length + ofType('warning').length === 2, 10_000);
  expect(ofType('warning')).toMatchObject([
    { warning: 'NO_REDRIVE_POLICY', message: expect.stringContaining('every 30 s') as string },
  ]);
});

test.each(wrapperNames)(
  '%s handles nothing of a FIFO queue with neither, and says so once, until it has a redrive policy',
  async (wrapper) => {
    const deadLetterQueueUrl = await createQueue(client, { fifo: true });
    const setup = await fixture.setup({ fifo: true });
    const { queueUrl, handleOnce } = setup;
    await setup.send('"order"', { group: 'a' });
    const handler = vi.fn();
    const options = { settings: { queueUrl, visibilityTimeout: 2 }, handleOnce, onFailed: undefined };
    const { ofType } = consume(wrapper, client, options, handler);
    await vi.waitUntil(() => ofType('kept').length >= 2, 10_000);
    expect(handler).not.toHaveBeenCalled();
    expect(ofType('kept')[0]).toMatchObject({ reason: 'no-redrive-policy', visibleAfterSeconds: undefined });
    expect(ofType('warning')).toMatchObject([
      { warning: 'NO_REDRIVE_POLICY', message: expect.stringMatching(/^no message is handled/) as string },
    ]);

    const deadLetterTargetArn = await queueArn(client, deadLetterQueueUrl);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 20 });
    await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { RedrivePolicy } }));
    await vi.waitUntil(() => ofType('acknowledged').length === 1, 10_000);
    expect(handler).toHaveBeenCalledTimes(1);
  },
);

test('a FIFO queue whose attributes cannot be read is handled, with a warning', async () => {
  const setup = await fixture.setup({ fifo: true });
  const { queueUrl, handleOnce } = setup;
  await setup.send('"order"', { group: 'a' });
  const options = { settings: { queueUrl, visibilityTimeout: 30 }, handleOnce, onFailed: undefined };
  const { ofType } = consume('handleMessage', refusing('GetQueueAttributes'), options, () => undefined);
  await vi.waitUntil(() => ofType('acknowledged').length === 1, 10_000);
  expect(ofType('warning')).toMatchObject([
    {
      warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
      message: expect.stringContaining('pass onFailed') as string,
    },
  ]);
});

test('with batch the messages of a receive are handled in one call, and the bad one alone stays', async () => {
  const setup = await fixture.setup({}, { backoff: () => 600_000 });
  const { queueUrl, handleOnce } = setup;
  const bodies = ['a', 'b', 'bad', 'c'].map((id) => JSON.stringify(id));
  await sendMany(client, queueUrl, bodies);
  const runs: unknown[][] = [];
  const settings = { queueUrl, visibilityTimeout: 30, batchSize: 10 };
  const handler = (ids: readonly string[], attempts: readonly BatchAttempt[]): void => {
    runs.push([...ids]);
    attempts[ids.indexOf('bad')]?.fail(new Error('not now'));
  };
  const { ofType, stopped } = consume(
    'handleMessageBatch',
    client,
    { settings, handleOnce, batch: { size: 10 } },
    handler as never,
  );
  await vi.waitUntil(() => ofType('acknowledged').length === 3 && ofType('kept').length === 1, 10_000);
  await stopped();
  expect(runs.map((ids) => ids.length)).toEqual([4]);
  expect(ofType('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: 600 }]);
  expect(await setup.size()).toEqual({ visible: 0, invisible: 1 });
});
