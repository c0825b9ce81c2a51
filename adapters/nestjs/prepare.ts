import { type AnyHandleOnce, InvalidOptionsError } from '../../src/index.ts';
import type { SqsWorkerOptions } from '../sqs/index.ts';
import type { KafkaSettings, SqsSettings } from './options.ts';
import type { OnceEachKafkaMessage, OnceEachKafkaMessageOptions } from '../kafka/index.ts';

/** The method that handles messages, with its provider as `this`. */
export type Run = (...given: unknown[]) => unknown;

/** A consumer whose options are right. */
export interface Prepared {
  start(): Promise<Running>;
}

/** A consumer that runs. */
export interface Running {
  /** Resolves when its handlers have ended, and what they settled is acknowledged. */
  stop(): Promise<void>;
}

/** A worker of a queue. The AWS SDK is loaded by those who have one. Throws `InvalidOptionsError`. */
export async function prepareSqs(
  settings: SqsSettings,
  handleOnce: AnyHandleOnce,
  run: Run,
): Promise<Prepared> {
  const { createSqsWorker } = await import('../sqs/index.ts');
  const options = { ...settings, handleOnce: settings.handleOnce ?? handleOnce };
  const worker = createSqsWorker(options as SqsWorkerOptions<undefined, unknown>, run);
  return {
    async start() {
      await worker.start();
      return {
        async stop() {
          await worker.stop();
        },
      };
    },
  };
}

/** A consumer of topics. kafkajs is loaded by those who have one. Throws `InvalidOptionsError`. */
export async function prepareKafka(
  { topics, ...settings }: KafkaSettings,
  handleOnce: AnyHandleOnce,
  run: Run,
): Promise<Prepared> {
  const { onceEachKafkaMessage } = await import('../kafka/index.ts');
  const { consumer, fromBeginning, onFailed } = settings;
  if (typeof onFailed === 'object' && topics.includes(onFailed.deadLetterTopic)) {
    const message =
      'must not be among topics: each dead letter would fail again and be produced again, endlessly';
    throw new InvalidOptionsError('onceEachKafkaMessage', [{ field: 'onFailed.deadLetterTopic', message }]);
  }
  const options = { ...settings, handleOnce: settings.handleOnce ?? handleOnce };
  const config = onceEachKafkaMessage(options as OnceEachKafkaMessageOptions<undefined, unknown>, run);
  return {
    async start() {
      try {
        await consumer.connect();
        await consumer.subscribe({
          topics: [...topics],
          ...(fromBeginning !== undefined && { fromBeginning }),
        });
        await runnable(consumer).run(config);
      } catch (error) {
        await consumer.disconnect();
        throw error;
      }
      return { stop: () => consumer.disconnect() };
    },
  };
}

/** The shape of a consumer leaves open what `run` takes, so that any version of its types fits. */
function runnable(consumer: object) {
  return consumer as { run(config: OnceEachKafkaMessage): Promise<void> };
}
