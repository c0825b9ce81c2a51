import type { Message } from '@aws-sdk/client-sqs';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import type { KafkaProducer } from '../../adapters/kafka/log/kafkajs-types.ts';
import { onceEachSqsRecord } from 'handle-once/lambda';
import { onceEachSqsMessage, onceEachConsumerMessage } from 'handle-once/sqs';
import type { SqsOnFailed } from '../../adapters/shared/sqs/queue-options.ts';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import {
  adapterContract,
  type AdapterUnderTest,
  type ContractSetup,
  type ScriptedMessage,
} from 'handle-once/contracts';
import { describe, test, vi } from 'vitest';
import { fakeBatch } from '../kafka/support/fake-batch.ts';
import { fakeConsumer } from '../kafka/support/fake-consumer.ts';
import { message } from '../kafka/support/messages.ts';
import { sqsEvent, sqsRecord } from '../lambda/support/events.ts';

const queueUrl = 'http://127.0.0.1/000000000000/orders';
const deadLetterQueueUrl = 'http://127.0.0.1/000000000000/dead';
const silent = { onEvent: () => undefined };

/** A client of a queue with one message. A visibility timeout of `ackWaitMs` is an extension, any other a return. */
function clientOf(message: ScriptedMessage, { ackWaitMs, deadLetter }: ContractSetup): SqsClient {
  const changeVisibility = async (seconds: number): Promise<boolean> => {
    if (seconds * 1_000 === ackWaitMs) return await message.extend();
    await message.retryLater(seconds * 1_000);
    return true;
  };
  const entry = (done: boolean) =>
    done
      ? { Successful: [{ Id: '0' }] }
      : { Failed: [{ Id: '0', Code: 'InvalidParameterValue', SenderFault: true }] };
  const verbs: Record<string, (input: never) => unknown> = {
    GetQueueAttributesCommand: () => ({
      Attributes: { VisibilityTimeout: String(ackWaitMs / 1_000), RedrivePolicy: '{"maxReceiveCount":100}' },
    }),
    DeleteMessageBatchCommand: async () => {
      await message.acknowledge();
      return entry(true);
    },
    ChangeMessageVisibilityBatchCommand: async ({ Entries }: { Entries: { VisibilityTimeout: number }[] }) =>
      entry(await changeVisibility(Entries[0]?.VisibilityTimeout ?? 0)),
    ChangeMessageVisibilityCommand: ({ VisibilityTimeout }: { VisibilityTimeout: number }) =>
      changeVisibility(VisibilityTimeout),
    SendMessageCommand: () => deadLetter?.(message),
  };
  const send = async ({ constructor: { name }, input }: { constructor: { name: string }; input: never }) =>
    (await verbs[name]?.(input)) ?? {};
  return { send: send as unknown as SqsClient['send'] };
}

const received = ({ id, body }: ScriptedMessage): Message => ({
  MessageId: id,
  ReceiptHandle: id,
  Body: body,
});
const onFailedOf = ({ deadLetter }: ContractSetup): SqsOnFailed =>
  deadLetter === undefined ? 'keep' : { deadLetterQueueUrl };

const ADAPTERS: Record<string, AdapterUnderTest> = {
  onceEachSqsMessage: {
    can: { extend: true, tellsLoss: true, retryLater: true, deadLetter: true, keepFailed: true },
    handle: (message, setup) => {
      const { handleOnce, handler, signal } = setup;
      const client = clientOf(message, setup);
      const options = { client, queueUrl, handleOnce, onFailed: onFailedOf(setup), ...silent };
      return onceEachSqsMessage(options, handler)(received(message), { signal });
    },
  },
  onceEachConsumerMessage: {
    can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: true, keepFailed: true },
    async handle(message, setup) {
      const { handleOnce, handler, ackWaitMs } = setup;
      const consumerOptions = {
        queueUrl,
        sqs: clientOf(message, setup),
        visibilityTimeout: ackWaitMs / 1_000,
      };
      const options = {
        consumerOptions,
        handleOnce,
        onFailed: onFailedOf(setup),
        signal: () => setup.signal,
      };
      const { handleMessage } = onceEachConsumerMessage({ ...options, ...silent }, handler);
      const { MessageId } = await handleMessage(received(message));
      if (MessageId !== undefined) await message.acknowledge();
    },
  },
  onceEachSqsRecord: {
    can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: true, keepFailed: true },
    async handle(message, { handleOnce, handler, signal, deadLetter }) {
      const onFailed =
        deadLetter === undefined
          ? ('keep' as const)
          : { deadLetterQueueUrl, client: { sendMessage: () => deadLetter(message) } };
      const each = onceEachSqsRecord({ handleOnce, onFailed, ...silent }, handler);
      const context = { getRemainingTimeInMillis: () => (signal.aborted ? 0 : 60_000) };
      const { batchItemFailures } = await each(sqsEvent(sqsRecord(message.id, message.body)), context);
      await (batchItemFailures.length === 0 ? message.acknowledge() : message.retryLater());
    },
  },
};

/**
 * A consumer of a partition with one message: it fetches it until its offset is committed, it is stuck, or it stops.
 */
async function consumeOne(scripted: ScriptedMessage, setup: ContractSetup): Promise<void> {
  const { handleOnce, handler, signal, deadLetter } = setup;
  const consumer = fakeConsumer();
  const producer = { send: () => deadLetter?.(scripted) } as unknown as KafkaProducer;
  const state = { isOver: false };
  const config = onceEachKafkaMessage(
    {
      ...{ consumer, groupId: 'workers', fromBeginning: true, handleOnce, backoff: () => 10 },
      key: (delivered) => String(delivered.key),
      onFailed: deadLetter === undefined ? 'acknowledge' : { deadLetterTopic: 'dead', producer },
      onEvent: (event) => {
        state.isOver ||= event.type === 'warning' && event.warning === 'PARTITION_STUCK';
      },
    },
    ({ payload }) => handler(payload),
  );
  await consumer.run(config as never);
  consumer.join({ orders: [0] });
  while (!state.isOver) {
    const batch = fakeBatch([message(0, { key: scripted.id, value: scripted.body })], { from: 0 });
    batch.does.commit = async ({ topics }) => {
      if (state.isOver || topics[0]?.partitions[0]?.offset !== '1') return;
      state.isOver = true;
      await scripted.acknowledge();
    };
    const stop = () => {
      batch.does.isRunning = false;
      void consumer.stop();
      state.isOver = true;
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    await consumer.hand(batch);
    await vi.waitUntil(() => state.isOver || !consumer.isPaused('orders', 0), {
      timeout: 10_000,
      interval: 5,
    });
  }
}

ADAPTERS['onceEachKafkaMessage'] = {
  can: { extend: false, tellsLoss: false, retryLater: false, deadLetter: true, keepFailed: false },
  handle: consumeOne,
};

describe.concurrent.each(Object.entries(ADAPTERS))('%s', (_, adapter) => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});
