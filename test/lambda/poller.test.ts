import { type MessageAttributeValue, SendMessageCommand, SQS } from '@aws-sdk/client-sqs';
import { randomUUID } from 'node:crypto';
import { createHandleOnce, type HandleOnceOptions, TerminalError } from 'handle-once';
import { type OnceEachSqsRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { aborted } from '../support/gate.ts';
import { createQueue, drain, queueArn, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { contextWith } from './support/events.ts';
import { type Invocation, poll, type Source } from './support/poller.ts';

const { sql } = useDatabase();

const client = useSqs('elasticmq');

async function setup(
  fifo = false,
  options: Partial<HandleOnceOptions> = {},
  redrive?: { deadLetterQueueUrl: string; maxReceiveCount: number },
) {
  const queueUrl = await createQueue(client, {
    fifo,
    visibilityTimeoutSeconds: 1,
    ...(redrive === undefined ? {} : { redrive }),
  });
  const source: Source = { client, queueUrl, queueArn: await queueArn(client, queueUrl) };
  const handleOnce = createHandleOnce({
    sql,
    scope: `test-${randomUUID()}`,
    leaseMs: 900,
    backoff: () => 0,
    ...options,
  });
  async function send(
    body: string,
    group?: string,
    attributes?: Record<string, MessageAttributeValue>,
  ): Promise<void> {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        ...(attributes && { MessageAttributes: attributes }),
        ...(fifo && { MessageGroupId: group ?? '', MessageDeduplicationId: randomUUID() }),
      }),
    );
  }
  return { source, handleOnce, send };
}

/** Polls until as many messages have been deleted. Gives what was delivered at each invocation. */
async function pollUntil(deleted: number, source: Source, handler: OnceEachSqsRecord): Promise<Invocation[]> {
  const invocations: Invocation[] = [];
  await vi.waitFor(
    async () => {
      const invocation = await poll(source, handler);
      if (invocation.delivered.length > 0) invocations.push(invocation);
      const sum = invocations.reduce(
        (n, { delivered, reported }) => n + delivered.length - reported.length,
        0,
      );
      expect(sum).toBeGreaterThanOrEqual(deleted);
    },
    { timeout: 25_000, interval: 50 },
  );
  return invocations;
}

test('what fails comes again, and what succeeded does not: each effect once', async () => {
  const { source, handleOnce, send } = await setup();
  for (let n = 0; n < 12; n += 1) await send(String(n));
  const succeeded: unknown[] = [];
  const handler = onceEachSqsRecord({ handleOnce }, (n, { number }) => {
    if (number === 1 && Number(n) % 3 === 0) throw new Error('not now');
    succeeded.push(n);
  });
  await pollUntil(12, source, handler);
  expect(succeeded.map(Number).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(handler.counts()).toMatchObject({ acknowledged: 12, kept: 4 });
});

test('an answer that is lost has everything delivered again, and replayed', async () => {
  const { source, handleOnce, send } = await setup();
  await send('"order"');
  let runs = 0;
  const handler = onceEachSqsRecord({ handleOnce }, () => {
    runs += 1;
  });
  const loses: OnceEachSqsRecord = Object.assign(
    async (...call: Parameters<OnceEachSqsRecord>) => {
      await handler(...call);
      throw new Error('the function crashed');
    },
    { counts: () => handler.counts() },
  );
  await vi.waitFor(() => expect(poll(source, loses)).rejects.toThrow('crashed'), { timeout: 5_000 });
  await pollUntil(1, source, handler);
  expect(runs).toBe(1);
  expect(handler.counts()).toMatchObject({ replayed: 1 });
});

test('a handler that is cut off by the deadline is released, and succeeds at the next delivery', async () => {
  const { source, handleOnce, send } = await setup();
  await send('"order"');
  const attempts: number[] = [];
  const handler = onceEachSqsRecord({ handleOnce, deadlineMarginMs: 800 }, async (_, { signal, number }) => {
    attempts.push(number);
    if (attempts.length > 1) return;
    await aborted(signal);
    signal.throwIfAborted();
  });
  await vi.waitFor(
    async () => {
      expect((await poll(source, handler, contextWith(1_500))).reported).toHaveLength(1);
    },
    { timeout: 5_000 },
  );
  await pollUntil(1, source, handler);
  // Both are the first: an interrupted attempt is not counted.
  expect(attempts).toEqual([1, 1]);
});

test('a FIFO group waits behind its failure, and goes on in order; others do not wait', async () => {
  const { source, handleOnce, send } = await setup(true);
  for (let n = 0; n < 5; n += 1) await send(JSON.stringify(`a${n}`), 'a');
  for (let n = 0; n < 2; n += 1) await send(JSON.stringify(`b${n}`), 'b');
  const ran: string[] = [];
  const handler = onceEachSqsRecord({ handleOnce }, (payload, { number }) => {
    ran.push(`${String(payload)}#${number}`);
    if (payload === 'a2' && number === 1) throw new Error('not yet');
  });
  await pollUntil(7, source, handler);
  expect(ran.filter((name) => name.startsWith('a'))).toEqual([
    'a0#1',
    'a1#1',
    'a2#1',
    'a2#2',
    'a3#1',
    'a4#1',
  ]);
  expect(ran.filter((name) => name.startsWith('b'))).toEqual(['b0#1', 'b1#1']);
});

test('what failed for good is left by default: the redrive policy moves it, and its FIFO group goes on', async () => {
  const deadLetterQueueUrl = await createQueue(client, { fifo: true });
  const redrive = { deadLetterQueueUrl, maxReceiveCount: 2 };
  const { source, handleOnce, send } = await setup(true, {}, redrive);
  const ran: unknown[] = [];
  const handler = onceEachSqsRecord({ handleOnce }, (payload) => {
    ran.push(payload);
    if (payload === 'bad') throw new TerminalError('never');
  });
  await send('"bad"', 'a');
  expect(await pollUntilRun('bad')).toMatchObject({ delivered: { length: 1 }, reported: { length: 1 } });
  await send('"next"', 'a');
  await pollUntilRun('next');
  expect(ran).toEqual(['bad', 'next']);
  expect(await drain(client, deadLetterQueueUrl)).toMatchObject([{ Body: '"bad"' }]);

  function pollUntilRun(payload: string): Promise<Invocation> {
    return vi.waitFor(
      async () => {
        const invocation = await poll(source, handler);
        expect(ran).toContain(payload);
        return invocation;
      },
      { timeout: 20_000, interval: 100 },
    );
  }
});

test('a dead letter goes to its queue with the SDK’s own client, before the message is deleted', async () => {
  const { source, handleOnce, send } = await setup();
  const deadLetterQueueUrl = await createQueue(client);
  const { config } = client;
  const sqs = new SQS({
    endpoint: sqsEndpoint('elasticmq'),
    region: config.region,
    credentials: config.credentials,
    useQueueUrlAsEndpoint: false,
  });
  onTestFinished(() => {
    sqs.destroy();
  });
  await send('{"order":1}', undefined, {
    Tenant: { DataType: 'String', StringValue: 'acme' },
    Raw: { DataType: 'Binary', BinaryValue: Buffer.from('00ff', 'hex') },
  });
  const onFailed = { deadLetterQueueUrl, client: sqs };
  const handler = onceEachSqsRecord({ handleOnce, onFailed }, () => {
    throw new TerminalError('never');
  });
  await pollUntil(1, source, handler);
  const deadLetters = await drain(client, deadLetterQueueUrl);
  expect(deadLetters).toMatchObject([
    {
      Body: '{"order":1}',
      MessageAttributes: {
        Tenant: { StringValue: 'acme' },
        Raw: { BinaryValue: new Uint8Array([0, 255]) },
        HandleOnceError: { StringValue: 'TerminalError: never' },
      },
    },
  ]);
});

test('batches of what is received have each effect once, and what fails comes again alone', async () => {
  const { source, handleOnce, send } = await setup();
  for (let n = 0; n < 12; n += 1) await send(String(n));
  const ran: number[][] = [];
  const succeeded: number[] = [];
  const handler = onceEachSqsRecord(
    { handleOnce, parse: Number, batch: { size: 10 } },
    (numbers, attempts) => {
      ran.push([...numbers]);
      for (const [index, attempt] of attempts.entries()) {
        const n = numbers[index] as number;
        if (n === 5 && attempt.number === 1) attempt.fail(new Error('not now'));
        else succeeded.push(n);
      }
    },
  );
  await pollUntil(12, source, handler);
  expect(succeeded.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(Math.max(...ran.map(({ length }) => length))).toBeGreaterThan(1);
  expect(ran.at(-1)).toEqual([5]);
  expect(handler.counts()).toMatchObject({ acknowledged: 12, kept: 1 });
});

test('batches of a FIFO queue keep the order of its groups', async () => {
  const { source, send } = await setup(true);
  const transactional = createHandleOnce({ sql, scope: randomUUID(), backoff: () => 0 });
  for (const body of ['a0', 'b0', 'a1', 'b1', 'a2', 'a3']) await send(body, body.charAt(0));
  const ran: string[][] = [];
  const done: string[] = [];
  let isFirst = true;
  const handler = onceEachSqsRecord(
    { handleOnce: transactional, inTransaction: true, parse: String, batch: { size: 10 } },
    async (ids, [attempt], tx) => {
      ran.push([...ids]);
      await tx`select 1`;
      const isBad = ids.includes('a1') && isFirst;
      if (isBad && ids.length === 1 && attempt?.number === 1) isFirst = false;
      if (isBad) throw new Error('not now');
      done.push(...ids);
    },
  );
  await pollUntil(6, source, handler);
  const of = (group: string) => done.filter((id) => id.startsWith(group));
  expect(of('a')).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(of('b')).toEqual(['b0', 'b1']);
  expect(Math.max(...ran.map(({ length }) => length))).toBeGreaterThan(1);
});
