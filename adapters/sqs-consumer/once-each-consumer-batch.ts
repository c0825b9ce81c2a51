import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type Counts, lanesBy, runLanes, withHandler } from '../../src/adapter-kit.ts';
import type { Transactional } from '../../src/index.ts';
import type { AddedSettings, ConsumerSettings } from './consumer-settings.ts';
import { createOnce } from './create-once.ts';
import type { SqsConsumerEvent } from './events.ts';
import { behind, keep, refused } from './keep.ts';
import type { SqsMessage } from './message.ts';
import type { SqsConsumerHandler, SqsConsumerOptions } from './options.ts';
import { processMessage, type Processor, type Processed } from './process-message.ts';

/** What `Consumer.create` takes: what was given, the handler, and what it needs. */
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
 * As `onceEachConsumerMessage`, for `handleMessageBatch`: the messages of a receive still run each by itself, side by
 * side, and those that are settled are deleted in one call when all have ended.
 *
 * On a FIFO queue those of one group run in order; when one is kept, those behind it are kept too and do not run.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const consumer = Consumer.create(
 *   onceEachConsumerBatch({ consumerOptions: { queueUrl, sqs: client, batchSize: 10 }, handleOnce }, async (order) =>
 *     ship(order),
 *   ),
 * );
 * consumer.start();
 * ```
 */
export function onceEachConsumerBatch<
  Given extends ConsumerSettings,
  Result,
  Tx,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
>(
  options: Transactional<SqsConsumerOptions<Given, Schema, Parsed>, Tx>,
  handler: SqsConsumerHandler<Schema, Parsed, Result, [transaction: Tx]>,
): OnceEachConsumerBatch<Given>;
export function onceEachConsumerBatch<
  Given extends ConsumerSettings,
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
>(
  options: SqsConsumerOptions<Given, Schema, Parsed>,
  handler: SqsConsumerHandler<Schema, Parsed, Result>,
): OnceEachConsumerBatch<Given>;
export function onceEachConsumerBatch(
  options: object,
  handler: unknown,
): OnceEachConsumerBatch<ConsumerSettings> {
  const once = createOnce('onceEachConsumerBatch', withHandler(options, handler), true);
  return {
    ...once.consumerOptions,
    counts: once.counts,
    async handleMessageBatch(messages) {
      if (await once.mayHandle()) return await handleBatch(once.processor, messages);
      const kept = refused(performance.now());
      await Promise.all(messages.map((message) => keep(once.processor, message, kept)));
      return [];
    },
  };
}

async function handleBatch(processor: Processor, messages: readonly SqsMessage[]): Promise<SqsMessage[]> {
  const receivedAt = performance.now();
  const verdicts = new Map<SqsMessage, Processed>();
  processor.deliveryOf.look(messages);
  const group = ({ Attributes }: SqsMessage): string | undefined =>
    processor.queue.isFifo ? Attributes?.MessageGroupId : undefined;
  await runLanes(lanesBy(messages, group), {
    concurrency: messages.length,
    hasTime: () => true,
    async run(message) {
      const verdict = await processMessage(processor, message);
      verdicts.set(message, verdict);
      return verdict.acknowledge;
    },
  });
  const settled: SqsMessage[] = [];
  const keeping: Promise<void>[] = [];
  // Only now: a heartbeat of the whole batch would undo what was set before.
  for (const message of messages) {
    const verdict = verdicts.get(message) ?? behind(receivedAt);
    if (verdict.acknowledge) settled.push(message);
    else keeping.push(keep(processor, message, verdict));
  }
  await Promise.all(keeping);
  return settled;
}
