import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { BatchOptions, ParsedPayload } from '../../../src/adapter-kit.ts';
import type { AnyHandleOnce, Counts } from '../../../src/index.ts';
import type { AddedSettings, ConsumerSettings } from './consumer-settings.ts';
import { createOnce, type Once as OnceOf } from './create-once.ts';
import type { SqsConsumerEvent } from './events.ts';
import type { SqsMessage } from '../message.ts';
import type { QueueHandlerFor, QueueOptionsChecked } from '../../shared/sqs/queue-options.ts';
import type { SqsConsumerOptions } from './options.ts';
import {
  behind,
  conclude,
  processMessage,
  type Processed,
  type Receive,
  REFUSED,
} from './process-message.ts';
import type { Turn } from '../../shared/deliver-in-turn.ts';
import { lanesBy, runLanes } from '../../shared/lanes.ts';
import { runBatches } from '../../shared/run-batches.ts';

/** What `Consumer.create` takes: your options, the handler, and what the handler needs. */
export type OnceEachConsumerBatch<Given> = Omit<
  Given,
  keyof AddedSettings | 'handleMessage' | 'handleMessageBatch'
> &
  AddedSettings & {
    /** Resolves with the messages that are settled, which sqs-consumer then deletes. It never rejects. */
    readonly handleMessageBatch: (messages: SqsMessage[]) => Promise<SqsMessage[]>;
    /** How often each type of event happened. */
    readonly counts: () => Counts<SqsConsumerEvent['type']>;
  };

/**
 * As `onceEachConsumerMessage`, for `handleMessageBatch`: the messages of a receive still run separately, in parallel,
 * or with `batch` together; and those that are settled are deleted in one call when all have ended.
 *
 * On a FIFO queue those of one group run in order; when one is kept, the later ones are kept too and do not run.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const consumerOptions = { queueUrl, sqs: client, batchSize: 10 };
 * const options = { consumerOptions, handleOnce, schema: orderSchema };
 * const consumer = Consumer.create(onceEachConsumerBatch(options, async (order) => ship(order)));
 * consumer.start();
 * ```
 */
export function onceEachConsumerBatch<
  Given extends ConsumerSettings,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>(
  options: SqsConsumerOptions<Given, Schema, Parsed, InTransaction, Batched> &
    QueueOptionsChecked<Batched, Schema, Parsed, Once, InTransaction>,
  handler: QueueHandlerFor<Batched, SqsMessage, ParsedPayload<Schema, Parsed, Once>, Once, InTransaction>,
): OnceEachConsumerBatch<Given> {
  const once = createOnce<Given>('onceEachConsumerBatch', options, handler, true);
  return {
    ...once.consumerOptions,
    counts: once.counts,
    async handleMessageBatch(messages) {
      const { processor } = once;
      const receive = once.receive();
      const processed = (await once.mayHandle()) ? await processAll(once, messages, receive) : undefined;
      // Only now: a heartbeat of the whole batch would undo what was set before.
      const done = await Promise.all(
        messages.map((message) => {
          const found =
            processed === undefined ? REFUSED : (processed.get(message) ?? behind(processor.clock));
          return conclude(processor, message, receive, found);
        }),
      );
      await receive.hold.end();
      return messages.filter((_, index) => done[index]);
    },
  };
}

/** The missing ones were not started: one of their group was kept. */
async function processAll(
  { processor, batching }: Pick<OnceOf<unknown>, 'processor' | 'batching'>,
  messages: readonly SqsMessage[],
  receive: Receive,
): Promise<ReadonlyMap<SqsMessage, Processed>> {
  const processed = new Map<SqsMessage, Processed>();
  const { delivery, queue } = processor;
  delivery.look(messages);
  const group = ({ Attributes }: SqsMessage): string | undefined =>
    queue.isFifo ? Attributes?.MessageGroupId : undefined;

  async function run(message: SqsMessage, turn: Turn): Promise<boolean> {
    const one = await processMessage(processor, message, receive, turn);
    processed.set(message, one);
    return one.acknowledge;
  }

  const lanes = lanesBy(messages, group);
  const all = { concurrency: messages.length, hasTime: () => true, run };
  if (batching === undefined) await runLanes(lanes, all);
  else await runBatches(lanes, { ...batching, mixesLanes: true, ...all });
  return processed;
}
