import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type BatchOptions, type OptionsChecked, resolveOptions } from '../../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../../src/index.ts';
import type { KafkaHandlerOf, KafkaPayload } from '../options/options.ts';
import { createWorker, type KafkaWorker } from '../worker.ts';
import { bytesOfPartition, configWarnings, consumerOptionsOf } from './consumer-config.ts';
import type { NativeConsumer } from './native.ts';
import { kafkaWorkerOptions, type KafkaWorkerOptions } from './options.ts';
import { PlatformaticSession } from './session.ts';
import { adminOf, onFailedOf, retryOf } from './translate.ts';
import { SHORT_RETRIES } from '../options/short-retries.ts';

const SUBJECT = 'createKafkaWorker';

/**
 * A worker on platformatic's client whose messages are each handled once.
 *
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record, or waits in
 * a topic of `retry`. Any other message withholds only its own partition, and is handled again later. Heartbeats
 * continue while handlers run. An error of a handler never stops the worker.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * import { Consumer } from '@platformatic/kafka';
 * import { createKafkaWorker } from 'handle-once/kafka-platformatic';
 *
 * const client = { Consumer };
 * const config = { bootstrapBrokers: ['localhost:9092'] };
 * const place = { client, config, topics: ['orders'], groupId: 'billing', fromBeginning: true };
 * const options = { ...place, handleOnce, schema: orderSchema, onFailed: 'acknowledge' } as const;
 * const worker = createKafkaWorker(options, async ({ payload }) => {
 *   await ship(payload);
 * });
 * await worker.run();
 * ```
 */
export function createKafkaWorker<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>(
  options: KafkaWorkerOptions<Schema, Parsed, InTransaction> &
    OptionsChecked<Schema, Parsed, Once, InTransaction, Buffer | null> & { readonly batch?: Batched },
  handler: KafkaHandlerOf<KafkaPayload<Schema, Parsed, Once>, Once, InTransaction, Batched>,
): KafkaWorker {
  const resolved = resolveOptions(SUBJECT, kafkaWorkerOptions(), options, handler, SHORT_RETRIES);
  const { client, config, groupId, handleOnce } = resolved;
  const Consumer = client.Consumer as unknown as new (options: object) => NativeConsumer;
  const settings = consumerOptionsOf(config, groupId);
  return createWorker(
    { ...resolved, subject: SUBJECT },
    {
      ...{ adminOf, onFailedOf, retryOf },
      findings: configWarnings(config, handleOnce.settings),
      open: (run) =>
        new PlatformaticSession({
          ...run,
          bytesOfPartition: bytesOfPartition(config),
          createConsumer: (more) => new Consumer({ ...settings, ...more }),
        }),
    },
  );
}
