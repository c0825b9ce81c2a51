import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, type SqsMessage, type SqsWorker } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Command {
  readonly input: {
    readonly Entries?: readonly { readonly Id: string }[];
    readonly MaxNumberOfMessages?: number;
  };
}

/** A queue that is receivable by batches of at most so many, and does the rest of what it is asked. */
async function answer(command: Command, receive: (max: number) => Promise<readonly SqsMessage[]>) {
  const { Entries, MaxNumberOfMessages = 0 } = command.input;
  if (command.constructor.name !== 'ReceiveMessageCommand') return { Successful: Entries };
  return { Messages: await receive(MaxNumberOfMessages) };
}

function message(id: string, group?: string): SqsMessage {
  const Attributes = group === undefined ? {} : { MessageGroupId: group };
  return { MessageId: id, ReceiptHandle: id, Body: '1', Attributes };
}

async function startWorker(
  send: (command: Command, options: { abortSignal: AbortSignal }) => Promise<object>,
  options: { queueUrl: string; concurrency: number; onEvent?: (event: SqsEvent) => void },
  handler: (key: string) => unknown,
): Promise<SqsWorker> {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  const client = { send: send as unknown as SQSClient['send'] };
  const worker = createSqsWorker(
    { client, handleOnce, onFailed: 'keep', visibilityTimeoutSeconds: 60, ...options },
    (_, { key }) => handler(key),
  );
  await worker.start();
  return worker;
}

const never = () => new Promise<never>(() => undefined);

test('what waits behind a slow message of its own FIFO group takes no room from other groups', async () => {
  const a = Array.from({ length: 10 }, (_, n) => message(`a-${n}`, 'a'));
  const batches = [a, [message('b', 'b')], [message('c', 'c')]];
  const handled: string[] = [];
  await startWorker(
    (command) => answer(command, async () => batches.shift() ?? (await never())),
    { queueUrl: 'https://sqs.example/queue.fifo', concurrency: 10 },
    (key) => {
      handled.push(key);
      return never();
    },
  );
  await vi.advanceTimersByTimeAsync(1_000);
  expect(handled).toEqual(['a-0', 'b', 'c']);
});

/** As the agent of the SDK: so many calls at once, the others wait for a socket. */
function withSockets(count: number, call: (command: Command) => Promise<object>) {
  let open = 0;
  const waiting: (() => void)[] = [];
  return async (command: Command, { abortSignal }: { abortSignal: AbortSignal }): Promise<object> => {
    if (open === count) await new Promise<void>((resolve) => waiting.push(resolve));
    open += 1;
    try {
      abortSignal.throwIfAborted();
      return await call(command);
    } finally {
      open -= 1;
      waiting.shift()?.();
    }
  };
}

test('idle long polls leave sockets of the client for its other calls', async () => {
  let left = 500;
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const receive = async (max: number) => {
    const messages = Array.from({ length: Math.min(max, left) }, () => message(String(left--)));
    await pause(messages.length === 0 ? 20_000 : 10);
    return messages;
  };
  const send = withSockets(50, async (command) => {
    if (command.input.Entries !== undefined) await pause(10);
    return await answer(command, receive);
  });
  const errors: SqsEvent[] = [];
  const onEvent = (event: SqsEvent): void => {
    if (event.type === 'queue-error') errors.push(event);
  };
  const options = { queueUrl: 'https://sqs.example/queue', concurrency: 1_000, onEvent };
  const worker = await startWorker(send, options, () => pause(100));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(errors).toEqual([]);
  expect(worker.counts()).toMatchObject({ acknowledged: 500 });
});
