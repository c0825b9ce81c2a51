import type { SQSClient } from '@aws-sdk/client-sqs';
import {
  onceEachConsumerMessage,
  onceEachConsumerBatch,
  type SqsConsumerEvent,
  type SqsConsumerHandler,
  type SqsConsumerOptions,
} from 'handle-once/sqs';
import { Consumer, type ConsumerOptions } from 'sqs-consumer';
import { onTestFinished, vi } from 'vitest';
import { type Call, recordingClient } from './recording-client.ts';

export type Handler = SqsConsumerHandler<unknown>;

type Settings = Omit<ConsumerOptions, 'handleMessage' | 'handleMessageBatch'>;
type Options = Omit<SqsConsumerOptions<never, undefined, unknown>, 'consumerOptions' | 'onEvent'>;

export interface Consuming {
  readonly consumer: Consumer;
  /** Of the adapter. */
  readonly events: SqsConsumerEvent[];
  /** What sqs-consumer told of messages, as `message_processed`, and of errors. */
  readonly told: string[];
  /** Every call that the consumer or the adapter made at the queue. */
  readonly calls: Call[];
  readonly ofType: <Type extends SqsConsumerEvent['type']>(
    type: Type,
  ) => Extract<SqsConsumerEvent, { type: Type }>[];
  /** Resolves when nothing is under way any more. */
  readonly stopped: () => Promise<void>;
}

export const wrapperNames = ['handleMessage', 'handleMessageBatch'] as const;
export type Wrapper = (typeof wrapperNames)[number];

/** Of the overloads of both, what they have in common. */
type Wrap = (options: object, handler: Handler) => ConsumerOptions;
const wrappers = {
  handleMessage: onceEachConsumerMessage,
  handleMessageBatch: onceEachConsumerBatch,
} as unknown as Record<Wrapper, Wrap>;

/** Starts a real `Consumer`, which is stopped when the test ends. */
export function consume(
  wrapper: Wrapper,
  sqs: SQSClient,
  { settings, ...options }: Options & { readonly settings: Partial<Settings> & { queueUrl: string } },
  handler: Handler,
  onEvent: (event: SqsConsumerEvent, consumer: Consumer) => void = () => undefined,
): Consuming {
  const events: SqsConsumerEvent[] = [];
  const told: string[] = [];
  const { client, calls } = recordingClient(sqs);
  const consumerOptions = { waitTimeSeconds: 1, suppressFifoWarning: true, ...settings, sqs: client };
  const once = wrappers[wrapper](
    {
      consumerOptions,
      onFailed: 'acknowledge',
      ...options,
      onEvent(event: SqsConsumerEvent) {
        events.push(event);
        onEvent(event, consumer);
      },
    },
    handler,
  );
  const consumer: Consumer = Consumer.create(once);
  for (const name of ['message_processed', 'error', 'processing_error', 'timeout_error'] as const) {
    consumer.on(name, () => told.push(name));
  }
  const stopped = async (): Promise<void> => {
    consumer.stop();
    await vi.waitUntil(() => !consumer.status.isPolling, { timeout: 20_000, interval: 20 });
  };
  onTestFinished(stopped);
  consumer.start();
  const ofType: Consuming['ofType'] = (type) => events.filter((event) => event.type === type) as never;
  return { consumer, events, told, calls, ofType, stopped };
}
