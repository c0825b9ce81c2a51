import { onceEachSqsMessage } from 'handle-once/sqs';
import { InvalidOptionsError } from 'handle-once';
import { expect, test, vi } from 'vitest';
import { queueName } from '../../../adapters/shared/sqs/queue-url.ts';
import { createQueue } from '../../support/sqs.ts';
import type { Fixture } from '../support/fixture.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

/** What a worker finds out about its queue before it receives. */
export function startUpSuite({ client, setup }: Fixture): void {
  const noop = (): void => undefined;
  const unreadable = () =>
    interposedClient(client, async ({ verb }, forward) => {
      if (verb === 'GetQueueAttributes') throw sdkError('AccessDenied');
      return await forward();
    });
  const silently = () => vi.spyOn(process, 'emitWarning').mockImplementation(noop);

  test("a lease not below the queue's visibility timeout: messages are received for twice the lease, without a warning", async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 }, { leaseMs: 2_000 });
    const warn = silently();
    const recording = interposedClient(client);
    await queue.startWorker({ client: recording, handler: noop });
    await queue.send('1');
    await queue.empty();
    const [receive] = recording.calls.filter(({ verb }) => verb === 'ReceiveMessage');
    expect(receive?.visibilityTimeoutSeconds).toBe(4);
    expect(queue.eventsOf('warning')).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('a queue that does not exist is refused by name, also when its visibility timeout is given', async () => {
    const queue = await setup();
    const queueUrl = `${queue.queueUrl}-gone`;
    const refused = queue.worker({ queueUrl, visibilityTimeoutSeconds: 60, handler: noop }).start();
    await expect(refused).rejects.toThrow(InvalidOptionsError);
    await expect(refused).rejects.toThrow(
      `createSqsWorker: queueUrl: names a queue that does not exist (${queueName(queueUrl)}): create it`,
    );
  });

  test('a queue that cannot be reached at the start is a warning with the cause, and the worker goes on', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const warn = silently();
    await queue.startWorker({ client: unreadable(), handler: noop });
    expect(queue.eventsOf('warning').map(({ message }) => message)).toEqual([
      expect.stringContaining("the queue's attributes cannot be read (") as string,
    ]);
    await queue.send('1');
    await queue.empty();
    warn.mockRestore();
  });

  test('after a refused start the worker can be started once the queue is right', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const warn = silently();
    let isThere = false;
    const flaky = interposedClient(client, async ({ verb }, forward) => {
      if (verb === 'GetQueueAttributes' && !isThere) throw sdkError('QueueDoesNotExist');
      return await forward();
    });
    const worker = queue.worker({ client: flaky, handler: noop });
    await expect(worker.start()).rejects.toThrow(/does not exist/);
    isThere = true;
    await worker.start();
    await queue.send('1');
    await queue.empty();
    warn.mockRestore();
  });

  test('the visibility timeout that is given counts, not the one of the queue', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 1 }, { leaseMs: 5_000 });
    const worker = await queue.startWorker({ visibilityTimeoutSeconds: 10, handler: noop });
    await queue.send('1');
    await queue.empty();
    expect(worker.counts().warning).toBeUndefined();
  });

  test('records that expire before their messages do are warned of', async () => {
    const queue = await setup({}, { succeededRetentionMs: 60_000 });
    const warn = silently();
    // ElasticMQ does not say how long it keeps a message.
    const telling = interposedClient(client, async ({ verb }, forward) => {
      const reply = (await forward()) as { Attributes?: object };
      const Attributes = { MessageRetentionPeriod: '345600', ...reply.Attributes };
      return verb === 'GetQueueAttributes' ? { ...reply, Attributes } : reply;
    });
    await queue.startWorker({ client: telling, handler: noop });
    expect(queue.eventsOf('warning')).toMatchObject([
      { warning: 'RETENTION_TOO_SHORT', queue: queueName(queue.queueUrl) },
    ]);
    expect(warn).not.toHaveBeenCalled();
    await queue.startWorker({ client: telling, handler: noop, onEvent: undefined });
    const text = new RegExp(
      `345600 s, but records expire after 60 s: .* \\(queue ${queueName(queue.queueUrl)}\\)$`,
    );
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(text), {
      type: 'HandleOnceWarning',
      code: 'RETENTION_TOO_SHORT',
    });
    warn.mockRestore();
  });

  test('a redrive policy that buries a message before its attempts are used up is warned of', async () => {
    const deadLetterQueueUrl = await createQueue(client);
    const queue = await setup({ redrive: { deadLetterQueueUrl, maxReceiveCount: 3 } }, { maxAttempts: 3 });
    const warn = silently();
    await queue.startWorker({ handler: noop });
    expect(queue.eventsOf('warning')).toMatchObject([{ warning: 'MAX_RECEIVE_COUNT_TOO_LOW' }]);
    warn.mockRestore();
  });

  /** The real queues, of which those that are named say how large a message they take. */
  const sized = (sizes: Readonly<Record<string, string>>) =>
    interposedClient(client, async ({ verb, queueUrl }, forward) => {
      const reply = (await forward()) as { Attributes?: object };
      if (verb !== 'GetQueueAttributes') return reply;
      return { ...reply, Attributes: { ...reply.Attributes, MaximumMessageSize: sizes[queueUrl] } };
    });

  test('a dead-letter queue that takes smaller messages than the queue is warned of', async () => {
    const deadLetterQueueUrl = await createQueue(client);
    const queue = await setup();
    const warn = silently();
    const onFailed = { deadLetterQueueUrl };
    const same = sized({ [queue.queueUrl]: '262144', [deadLetterQueueUrl]: '262144' });
    await queue.startWorker({ client: same, onFailed, handler: noop });
    expect(queue.eventsOf('warning')).toEqual([]);
    const smaller = sized({ [queue.queueUrl]: '1048576', [deadLetterQueueUrl]: '262144' });
    await queue.startWorker({ client: smaller, onFailed, handler: noop });
    expect(queue.eventsOf('warning')).toEqual([
      {
        ...{ type: 'warning', warning: 'DEAD_LETTER_QUEUE_TOO_SMALL', queue: queueName(queue.queueUrl) },
        message: expect.stringMatching(/takes messages of up to 262144 bytes.* of up to 1048576/) as string,
      },
    ]);
    warn.mockRestore();
  });

  test('a dead-letter queue whose attributes cannot be read is a warning that names it', async () => {
    const deadLetterQueueUrl = await createQueue(client);
    const queue = await setup();
    const warn = silently();
    const refusing = interposedClient(client, async ({ verb, queueUrl }, forward) => {
      if (verb === 'GetQueueAttributes' && queueUrl === deadLetterQueueUrl) throw sdkError('AccessDenied');
      return await forward();
    });
    await queue.startWorker({ client: refusing, onFailed: { deadLetterQueueUrl }, handler: noop });
    expect(queue.eventsOf('warning')).toMatchObject([
      {
        warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
        message: expect.stringContaining('the attributes of the dead-letter queue') as string,
      },
    ]);
    warn.mockRestore();
  });

  test('a dead-letter queue that does not exist is refused by name', async () => {
    const queue = await setup();
    const warn = silently();
    const deadLetterQueueUrl = `${queue.queueUrl}-gone`;
    const refused = queue.worker({ onFailed: { deadLetterQueueUrl }, handler: noop }).start();
    await expect(refused).rejects.toMatchObject({ issues: [{ field: 'onFailed' }] });
    await expect(refused).rejects.toThrow(
      `deadLetterQueueUrl names a queue that does not exist (${queueName(deadLetterQueueUrl)}): create it`,
    );
    warn.mockRestore();
  });

  test('a FIFO queue with a redrive policy and onFailed keep is warned of, since messages behind a failed one move too', async () => {
    const deadLetterQueueUrl = await createQueue(client, { fifo: true });
    const queue = await setup({ fifo: true, redrive: { deadLetterQueueUrl, maxReceiveCount: 30 } });
    const warn = silently();
    await queue.startWorker({ onFailed: 'keep', handler: noop });
    expect(queue.eventsOf('warning')).toMatchObject([{ warning: 'REDRIVE_MOVES_GROUP' }]);
    await queue.startWorker({ onFailed: 'acknowledge', handler: noop });
    expect(queue.eventsOf('warning')).toHaveLength(1);
    warn.mockRestore();
  });

  test('a queue and records that fit one another start without a word', async () => {
    const deadLetterQueueUrl = await createQueue(client);
    const queue = await setup({ redrive: { deadLetterQueueUrl, maxReceiveCount: 30 } });
    const warn = silently();
    await queue.startWorker({ handler: noop });
    expect(queue.events).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('attributes that cannot be read are a warning where the visibility timeout is given', async () => {
    const queue = await setup();
    const warn = silently();
    await queue.startWorker({ client: unreadable(), visibilityTimeoutSeconds: 2, handler: noop });
    await queue.send('1');
    await queue.empty();
    expect(queue.eventsOf('warning')).toMatchObject([{ warning: 'QUEUE_ATTRIBUTES_UNREADABLE' }]);
    warn.mockRestore();
  });

  test('attributes that cannot be read are refused in a loop that does not give the visibility timeout', async () => {
    const { queueUrl, handleOnce } = await setup();
    const warn = silently();
    const handle = onceEachSqsMessage({ client: unreadable(), queueUrl, handleOnce }, noop);
    const refused = handle({ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' });
    await expect(refused).rejects.toThrow(InvalidOptionsError);
    await expect(refused).rejects.toThrow(/visibilityTimeoutSeconds: is missing.*sqs:GetQueueAttributes/);
    warn.mockRestore();
  });
}
