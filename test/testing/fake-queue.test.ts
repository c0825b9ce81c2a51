import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { createHandleOnce, InvalidOptionsError, TerminalError } from 'handle-once';
import { createSqsWorker, onceEachSqsMessage, type SqsEvent } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createFakeQueue, createMemoryStore, type FakeQueueOptions } from 'handle-once/testing';
import { describe, expect, it, vi } from 'vitest';

const BODY = '{"id":"order-7"}';

function bench(options?: FakeQueueOptions) {
  const queue = createFakeQueue(options);
  const client: SqsClient = queue.client;
  const QueueUrl = queue.queueUrl;
  const receive = async (more: object = {}) => {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, ...more }));
    return Messages;
  };
  const receiveOne = async () => {
    const [message] = await receive();
    if (message === undefined) throw new Error('the queue gave nothing');
    return message;
  };
  return { queue, client, QueueUrl, receive, receiveOne };
}

describe('A fake queue', () => {
  it('gives messages in the shape of SQS, and hides them', async () => {
    const { queue, receive } = bench();
    const messageId = queue.send(BODY, { tenant: 'acme' });
    expect(await receive()).toEqual([
      {
        MessageId: messageId,
        ReceiptHandle: expect.any(String) as string,
        Body: BODY,
        Attributes: {
          SenderId: expect.any(String) as string,
          SentTimestamp: expect.stringMatching(/^\d{13}$/) as string,
          ApproximateReceiveCount: '1',
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/) as string,
        },
        MessageAttributes: { tenant: { DataType: 'String', StringValue: 'acme' } },
      },
    ]);
    expect(await receive()).toEqual([]);
    expect(queue.messages()).toEqual([{ messageId, body: BODY, receives: 1, isVisible: false }]);
  });

  it('delivers a message again once its visibility timeout is over', async () => {
    const { queue, receive } = bench({ visibilityTimeoutSeconds: 40 });
    queue.send(BODY);
    await receive();
    queue.advance(39_000);
    expect(await receive()).toEqual([]);
    queue.advance(1_000);
    expect(await receive({ VisibilityTimeout: 5 })).toMatchObject([
      { Attributes: { ApproximateReceiveCount: '2' } },
    ]);
    queue.advance(5_000);
    expect(await receive()).toHaveLength(1);
  });

  it('deletes by the last receipt handle, and not by an older one', async () => {
    const { queue, client, QueueUrl, receiveOne } = bench();
    queue.send(BODY);
    const old = await receiveOne();
    queue.advance(60_000);
    const last = await receiveOne();
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: old.ReceiptHandle }));
    expect(queue.messages()).toHaveLength(1);
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: last.ReceiptHandle }));
    expect(queue.messages()).toEqual([]);
  });

  it('changes the visibility of what is in flight alone', async () => {
    const { queue, client, QueueUrl, receiveOne, receive } = bench();
    queue.send(BODY);
    const { ReceiptHandle } = await receiveOne();
    const change = (VisibilityTimeout: number) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    await change(0);
    await expect(change(30)).rejects.toMatchObject({ name: 'MessageNotInflight' });
    expect(await receive()).toHaveLength(1);
  });

  it('answers each entry of a batch', async () => {
    const { queue, client, QueueUrl, receiveOne } = bench();
    const Entries = ['a', 'b'].map((Id) => ({ Id, MessageBody: Id }));
    const sent = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['a', 'b']);
    const { ReceiptHandle } = await receiveOne();
    const deleted = await client.send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: '1', ReceiptHandle }] }),
    );
    expect(deleted).toEqual({ Successful: [{ Id: '1' }], Failed: [] });
    expect(queue.messages().map(({ body }) => body)).toEqual(['b']);
  });

  it('ends a long poll when a message comes, when its time is over, and when it is aborted', async () => {
    const { queue, client, QueueUrl, receive } = bench();
    const polled = receive({ WaitTimeSeconds: 20 });
    queue.send(BODY);
    expect(await polled).toHaveLength(1);

    const inVain = receive({ WaitTimeSeconds: 20 });
    queue.advance(20_000);
    expect(await inVain).toEqual([]);

    const aborter = new AbortController();
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
    const aborted = client.send(command, { abortSignal: aborter.signal });
    aborter.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('has what was received too often, and what was sent elsewhere, as dead letters', async () => {
    const { queue, client, receive } = bench({ maxReceiveCount: 1 });
    queue.send(BODY, { tenant: 'acme' });
    await receive();
    queue.advance(60_000);
    expect(await receive()).toEqual([]);
    const elsewhere = 'https://sqs.example/000000000000/failed';
    await client.send(new SendMessageCommand({ QueueUrl: elsewhere, MessageBody: 'copy' }));
    expect(queue.deadLetters()).toEqual([
      { queueUrl: `${queue.queueUrl}-dead-letters`, body: BODY, attributes: { tenant: 'acme' } },
      { queueUrl: elsewhere, body: 'copy', attributes: {} },
    ]);
    expect(queue.messages()).toEqual([]);
  });

  it('refuses a command that it does not know, by name', async () => {
    const { client } = bench();
    const unknown = client.send(new GetQueueUrlCommand({ QueueName: 'orders' }));
    await expect(unknown).rejects.toThrow(InvalidOptionsError);
    await expect(unknown).rejects.toThrow(/ReceiveMessageCommand.*; got GetQueueUrlCommand/);
  });

  it.each([undefined, null, 'ReceiveMessageCommand', 7, Object.create(null)])(
    'says so where its client is sent no command: %o',
    async (command: unknown) => {
      const { client } = createFakeQueue();
      const refused: unknown = await client.send(command as never).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(InvalidOptionsError);
      expect(refused).toMatchObject({
        issues: [
          {
            field: 'command',
            message: expect.stringMatching(/^must be one of .*; got no command$/) as string,
          },
        ],
      });
    },
  );

  it.each([
    ['visibilityTimeoutSeconds', { visibilityTimeoutSeconds: 0 }],
    ['maxReceiveCount', { maxReceiveCount: 1.5 }],
    ['fifo', { fifo: true } as FakeQueueOptions],
  ])('refuses a wrong %s', (field, options: FakeQueueOptions) => {
    const refused = { issues: [expect.objectContaining({ field })] };
    expect(() => createFakeQueue(options)).toThrow(expect.objectContaining(refused) as Error);
  });
});

describe('A fake queue that is used wrongly', () => {
  /** One that the types of the SDK would not let pass. */
  const wrong = (Command: unknown, input: object): never =>
    new (Command as new (input: object) => object)(input) as never;

  it.each([NaN, -1, Infinity, '5', undefined])('refuses to advance by %s', (milliseconds) => {
    const { queue } = bench();
    const refused = { name: 'InvalidOptionsError', issues: [expect.objectContaining({ field: 'advance' })] };
    expect(() => {
      queue.advance(milliseconds as never);
    }).toThrow(expect.objectContaining(refused) as Error);
  });

  it.each<[string, [unknown, unknown?]]>([
    ['body', [{ id: 'order-7' }]],
    ['body', [undefined]],
    ['attributes', [BODY, null]],
    ['attributes.attempt', [BODY, { tenant: 'acme', attempt: 1 }]],
  ])('refuses to send a wrong %s', (field, given) => {
    const { queue } = bench();
    const refused = { name: 'InvalidOptionsError', issues: [expect.objectContaining({ field })] };
    expect(() => queue.send(...(given as [string]))).toThrow(expect.objectContaining(refused) as Error);
    expect(queue.messages()).toEqual([]);
  });

  it('reads the attributes of another queue, to which dead letters can go, and refuses none', async () => {
    const { client } = bench();
    const read = (input: object) => client.send(wrong(GetQueueAttributesCommand, input));
    expect(await read({ QueueUrl: 'https://sqs.example/000000000000/other' })).toEqual({ Attributes: {} });
    await expect(read({})).rejects.toMatchObject({ name: 'MissingParameter' });
  });

  it.each([
    [ReceiveMessageCommand, {}],
    [DeleteMessageCommand, { ReceiptHandle: 'a' }],
    [DeleteMessageBatchCommand, { Entries: [] }],
    [ChangeMessageVisibilityCommand, { ReceiptHandle: 'a', VisibilityTimeout: 1 }],
    [ChangeMessageVisibilityBatchCommand, { Entries: [] }],
  ])('refuses %o of another queue, and without one', async (Command, input) => {
    const { queue, client } = bench();
    queue.send(BODY);
    const send = (more: object) => client.send(wrong(Command, { ...input, ...more }));
    const elsewhere = send({ QueueUrl: 'https://sqs.example/000000000000/other' });
    await expect(elsewhere).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    await expect(send({})).rejects.toMatchObject({
      name: 'MissingParameter',
      message: expect.stringContaining('QueueUrl') as string,
    });
    expect(queue.messages()).toMatchObject([{ receives: 0 }]);
  });

  it('refuses what lacks a receipt handle or a body', async () => {
    const { client, QueueUrl } = bench();
    for (const Command of [DeleteMessageCommand, ChangeMessageVisibilityCommand, SendMessageCommand]) {
      const lacking = client.send(wrong(Command, { QueueUrl }));
      await expect(lacking).rejects.toMatchObject({ name: 'MissingParameter' });
    }
    const Entries = [{ Id: '1', ReceiptHandle: undefined }];
    expect(await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))).toMatchObject({
      Successful: [],
      Failed: [{ Id: '1', Code: 'MissingParameter' }],
    });
  });
});

describe('The wiring of an SQS consumer, on a fake queue,', () => {
  const newHandleOnce = (store = createMemoryStore()) =>
    createHandleOnce({ store, scope: 'billing', backoff: () => 60_000, onEvent: () => undefined });

  it('is a worker that handles each message once', async () => {
    const { queue } = bench();
    const store = createMemoryStore();
    const handled = vi.fn();
    const options = { client: queue.client, queueUrl: queue.queueUrl, handleOnce: newHandleOnce(store) };
    const worker = createSqsWorker({ ...options, key: () => 'order-7' }, handled);
    await worker.start();
    for (let times = 0; times < 2; times += 1) {
      queue.send(BODY);
      await queue.emptied();
    }
    await worker.stop();
    expect(handled).toHaveBeenCalledTimes(1);
    expect(worker.counts()).toMatchObject({ acknowledged: 2, replayed: 1 });
    expect(store.records()).toMatchObject([{ scope: 'billing', key: 'order-7', state: 'succeeded' }]);
  });

  it('is a loop whose failed message comes again after its backoff', async () => {
    const { queue, receiveOne } = bench();
    const store = createMemoryStore();
    const handled = vi.fn().mockRejectedValueOnce(new Error('down')).mockResolvedValueOnce('charged');
    const events: SqsEvent[] = [];
    const handleMessage = onceEachSqsMessage(
      {
        client: queue.client,
        queueUrl: queue.queueUrl,
        handleOnce: newHandleOnce(store),
        onEvent: (event) => events.push(event),
      },
      handled,
    );
    queue.send(BODY);
    expect(await handleMessage(await receiveOne())).toMatchObject({
      action: 'kept',
      reason: 'released',
      visibleAfterSeconds: 60,
    });
    queue.advance(60_000);
    store.advance(60_000);
    expect(await handleMessage(await receiveOne())).toMatchObject({ action: 'acknowledged' });
    expect(queue.messages()).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['kept', 'acknowledged']);
  });

  it('sends a message that failed for good to the dead letters', async () => {
    const { queue, receiveOne } = bench();
    const deadLetterQueueUrl = 'https://sqs.example/000000000000/failed';
    const handleMessage = onceEachSqsMessage(
      {
        client: queue.client,
        queueUrl: queue.queueUrl,
        handleOnce: newHandleOnce(),
        onFailed: { deadLetterQueueUrl },
        onEvent: () => undefined,
      },
      () => {
        throw new TerminalError('the card is blocked');
      },
    );
    queue.send(BODY, { tenant: 'acme' });
    expect(await handleMessage(await receiveOne())).toMatchObject({ action: 'dead-lettered' });
    expect(queue.deadLetters()).toMatchObject([
      { queueUrl: deadLetterQueueUrl, body: BODY, attributes: { tenant: 'acme' } },
    ]);
  });
});
