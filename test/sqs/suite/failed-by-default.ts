import { InvalidOptionsError } from 'handle-once';
import { onceEachSqsMessage } from 'handle-once/sqs';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import { expect, test, vi } from 'vitest';
import { createQueue, drain } from '../../support/sqs.ts';
import { terminal } from '../support/failing.ts';
import type { Fixture } from '../support/fixture.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

const noop = (): void => undefined;

/** What becomes of failed messages when `onFailed` is not given. */
export function failedByDefaultSuite({ client, setup }: Fixture): void {
  const byDefault = { onFailed: undefined };
  const silently = () => vi.spyOn(process, 'emitWarning').mockImplementation(noop);

  /** ElasticMQ does not say how long it keeps a message. */
  const keepsFor = (seconds: string): SqsClient =>
    interposedClient(client, async ({ verb }, forward) => {
      const reply = (await forward()) as { Attributes?: object };
      const Attributes = { ...reply.Attributes, MessageRetentionPeriod: seconds };
      return verb === 'GetQueueAttributes' ? { ...reply, Attributes } : reply;
    });
  const unreadable = (): SqsClient =>
    interposedClient(client, ({ verb }, forward) => {
      if (verb === 'GetQueueAttributes') throw sdkError('AccessDenied');
      return forward();
    });

  test("the queue's redrive policy moves a failed message to its dead-letter queue: the same message, run once", async () => {
    const deadLetters = await createQueue(client);
    const redrive = { deadLetterQueueUrl: deadLetters, maxReceiveCount: 2 };
    const queue = await setup({ redrive, visibilityTimeoutSeconds: 2 }, { leaseMs: 600, maxAttempts: 1 });
    const messageId = await queue.send('{"order":1}');
    const handler = vi.fn(terminal);
    await queue.startWorker({ ...byDefault, handler });
    await queue.empty();
    const letters = await drain(client, deadLetters);
    expect(letters).toMatchObject([{ MessageId: messageId, Body: '{"order":1}' }]);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(queue.eventsOf('kept')).toMatchObject([
      { reason: 'failed', visibleAfterSeconds: undefined },
      { reason: 'failed', visibleAfterSeconds: undefined },
    ]);
    expect(queue.eventsOf('warning')).toMatchObject([{ warning: 'MAX_RECEIVE_COUNT_TOO_LOW' }]);
  });

  test('without a redrive policy a start warns, with how often a failed message comes back', async () => {
    const warn = silently();
    const queue = await setup({ visibilityTimeoutSeconds: 30 });
    await queue.startWorker({ ...byDefault, client: keepsFor('345600'), handler: noop });
    const warnings = queue.eventsOf('warning').filter(({ warning }) => warning === 'NO_REDRIVE_POLICY');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toContain('every 30 s until');
    expect(warnings[0]?.message).toContain('retention of 345600 s ends, up to 11520 times');
    warn.mockRestore();
  });

  test.each(['keep', 'acknowledge'] as const)('%s by choice starts without a warning', async (onFailed) => {
    const queue = await setup();
    await queue.startWorker({ onFailed, handler: noop });
    expect(queue.events).toEqual([]);
  });

  test('a FIFO queue without a redrive policy is refused: a failed message would block its group', async () => {
    const queue = await setup({ fifo: true });
    const refused = queue.worker({ ...byDefault, client: keepsFor('600'), handler: noop }).start();
    await expect(refused).rejects.toThrow(InvalidOptionsError);
    await expect(refused).rejects.toMatchObject({ issues: [{ field: 'onFailed' }] });
    await expect(refused).rejects.toThrow(
      /would block its message group until .* 600 s ends\. Give the queue/,
    );
    await queue.startWorker({ onFailed: 'keep', handler: noop });
  });

  test('a FIFO queue with a redrive policy is taken, with a warning of what it does to a group', async () => {
    const deadLetterQueueUrl = await createQueue(client, { fifo: true });
    const queue = await setup({ fifo: true, redrive: { deadLetterQueueUrl, maxReceiveCount: 30 } });
    await queue.startWorker({ ...byDefault, handler: noop });
    expect(queue.events).toMatchObject([{ type: 'warning', warning: 'REDRIVE_MOVES_GROUP' }]);
  });

  test('a FIFO queue whose attributes cannot be read is taken with a warning', async () => {
    const warn = silently();
    const queue = await setup({ fifo: true });
    const options = { ...byDefault, client: unreadable(), visibilityTimeoutSeconds: 30 };
    await queue.startWorker({ ...options, handler: noop });
    expect(queue.eventsOf('warning')).toMatchObject([
      {
        warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
        message: expect.stringContaining('blocks its message group: pass onFailed') as string,
      },
    ]);
    warn.mockRestore();
  });

  test('a wrapped handler is checked with its first message', async () => {
    const warn = silently();
    const fifo = await setup({ fifo: true });
    await fifo.send('1', { group: 'a' });
    const handler = vi.fn();
    const wrap = ({ queueUrl, handleOnce, onEvent }: typeof fifo) =>
      onceEachSqsMessage({ client, queueUrl, handleOnce, onEvent }, handler);
    await expect(wrap(fifo)(await fifo.receive())).rejects.toMatchObject({ issues: [{ field: 'onFailed' }] });
    expect(handler).not.toHaveBeenCalled();

    const standard = await setup();
    await standard.send('1');
    expect(await wrap(standard)(await standard.receive())).toMatchObject({ action: 'acknowledged' });
    expect(standard.eventsOf('warning')).toMatchObject([{ warning: 'NO_REDRIVE_POLICY' }]);
    warn.mockRestore();
  });

  test('behind a failed message of a FIFO group receive counts rise too: the redrive policy counts receives, not runs', async () => {
    const deadLetterQueueUrl = await createQueue(client, { fifo: true });
    const redrive = { deadLetterQueueUrl, maxReceiveCount: 3 };
    const timing = { visibilityTimeoutSeconds: 1 };
    const queue = await setup({ fifo: true, redrive, ...timing }, { leaseMs: 600, maxAttempts: 1 });
    for (const body of ['0', '1']) await queue.send(body, { group: 'a' });
    const last = await queue.send('2', { group: 'a' });
    const ran: unknown[] = [];
    await queue.startWorker({
      ...byDefault,
      handler: (payload) => {
        ran.push(payload);
        if (payload === 0) terminal();
      },
    });
    await queue.empty();
    const moved = (await drain(client, deadLetterQueueUrl)).map(({ Body }) => Body);
    const countsOfLast = queue
      .eventsOf('received')
      .filter(({ messageId }) => messageId === last)
      .map(({ receiveCount }) => receiveCount);
    expect({ ran, moved, countsOfLast }).toEqual({
      ran: [0],
      moved: ['0', '1', '2'],
      countsOfLast: [1, 2, 3],
    });
  });
}
