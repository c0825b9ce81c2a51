import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ParsedPayload, TransactionOf, OptionsChecked } from '../../../src/adapter-kit.ts';
import type { AnyHandleOnce, Counts } from '../../../src/index.ts';
import type { AddedSettings, ConsumerSettings } from './consumer-settings.ts';
import { createOnce } from './create-once.ts';
import type { SqsConsumerEvent } from './events.ts';
import type { SqsMessage } from '../message.ts';
import type { SqsConsumerHandler, SqsConsumerOptions } from './options.ts';
import { conclude, processMessage, REFUSED } from './process-message.ts';

/** What `Consumer.create` takes: your options, the handler, and what the handler needs. */
export type OnceEachConsumerMessage<Given> = Omit<
  Given,
  keyof AddedSettings | 'handleMessage' | 'handleMessageBatch'
> &
  AddedSettings & {
    /** Resolves with the message, which sqs-consumer then deletes, or with an empty object. It never rejects. */
    readonly handleMessage: (message: SqsMessage) => Promise<SqsMessage>;
    /** How often each type of event happened. */
    readonly counts: () => Counts<SqsConsumerEvent['type']>;
  };

/**
 * Options for a `Consumer` of sqs-consumer whose messages are each handled once. The messages of one receive run in
 * parallel.
 *
 * sqs-consumer receives, keeps messages invisible by its heartbeat, which is turned on, and deletes those that are
 * settled. A message that stays becomes visible when its backoff, or the lease of the worker that runs it, is over.
 * What handlers throw is not a `processing_error`: it is on record, and in the events.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const consumerOptions = { queueUrl, sqs: client, batchSize: 10 };
 * const consumer = Consumer.create(
 *   onceEachConsumerMessage({ consumerOptions, handleOnce, schema: orderSchema }, async (order, attempt) => {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   }),
 * );
 * consumer.start();
 * ```
 */
export function onceEachConsumerMessage<
  Given extends ConsumerSettings,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
>(
  options: SqsConsumerOptions<Given, Schema, Parsed, InTransaction, undefined> &
    OptionsChecked<Schema, Parsed, Once, InTransaction>,
  handler: SqsConsumerHandler<ParsedPayload<Schema, Parsed, Once>, TransactionOf<Once, InTransaction>>,
): OnceEachConsumerMessage<Given> {
  const once = createOnce<Given>('onceEachConsumerMessage', options, handler, false);
  return {
    ...once.consumerOptions,
    counts: once.counts,
    async handleMessage(message) {
      const { processor } = once;
      const receive = once.receive();
      const processed = (await once.mayHandle())
        ? await processMessage(processor, message, receive)
        : REFUSED;
      const isDone = await conclude(processor, message, receive, processed);
      await receive.hold.end();
      return isDone ? message : KEPT;
    },
  };
}

/** Not undefined, on which sqs-consumer deleted before its version 14. */
const KEPT: SqsMessage = {};
