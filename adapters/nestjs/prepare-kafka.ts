import type { AnyHandleOnce } from '../../src/index.ts';
import type { OnceEachKafkaMessage, OnceEachKafkaMessageOptions } from '../kafka/index.ts';
import type { KafkaSettings } from './options.ts';
import type { Prepared, Run } from './running.ts';

/** A consumer of topics. kafkajs is loaded by those who have one. Throws `InvalidOptionsError`. */
export async function prepareKafka(
  { topics, ...settings }: KafkaSettings,
  handleOnce: AnyHandleOnce,
  run: Run,
): Promise<Prepared> {
  const { onceEachKafkaMessage } = await import('../kafka/index.ts');
  const { consumer, fromBeginning } = settings;
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

/** The shape of a consumer says nothing of what `run` takes, so that any version of its types fits. */
function runnable(consumer: object) {
  return consumer as { run(config: OnceEachKafkaMessage): Promise<void> };
}
