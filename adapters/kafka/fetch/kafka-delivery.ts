import type { FingerprintOptions, Kernel, Delivery } from '../../../src/adapter-kit.ts';
import { type LogKey, identityOf } from '../../shared/kafka/log-identity.ts';
import { defaultParse } from '../../shared/kafka/log-options.ts';
import { deadLetterOf, type KafkaOnFailed } from '../log/dead-letter.ts';
import type { KeyTrial } from './key-trial.ts';
import type { KafkaMessage, Placed } from '../log/log-client.ts';
import { produceCopy } from '../log/produce.ts';
import type { Ownership } from '../partition/partition-tracker.ts';

export interface KafkaDeliveryOptions extends FingerprintOptions<Buffer | null, [message: KafkaMessage]> {
  readonly kernel: Kernel;
  readonly keyTrial: Pick<KeyTrial, 'hasWorked'>;
  readonly key?: LogKey<KafkaMessage> | undefined;
  readonly parse?: ((value: Buffer | null, message: KafkaMessage) => unknown) | undefined;
  readonly onFailed: KafkaOnFailed;
}

/** What a message is to the engine, and where it goes when it failed permanently. */
export function kafkaDelivery(
  options: KafkaDeliveryOptions,
  original: Placed,
  ownership: Ownership,
): Pick<Delivery<unknown>, 'key' | 'content' | 'fingerprint' | 'message' | 'parse' | 'onFailed'> {
  const { topic, partition, message } = original;
  const { kernel, onFailed, keyTrial, parse = defaultParse(kernel.schema) } = options;
  return {
    ...identityOf(topic, partition, message, options.key),
    fingerprint: options,
    message,
    parse: () => parse(message.value, message),
    onFailed:
      typeof onFailed === 'string'
        ? onFailed
        : {
            to: onFailed.deadLetterTopic,
            // Who acknowledges the message sends its dead letter: that is another delivery then.
            mayBeSent: (reason) => !ownership.isOver && (reason !== 'invalid-key' || keyTrial.hasWorked()),
            async send(facts) {
              await produceCopy(onFailed.producer, onFailed.deadLetterTopic, deadLetterOf(original, facts));
              return {};
            },
          },
  };
}
