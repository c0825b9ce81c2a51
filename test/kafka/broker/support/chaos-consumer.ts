import type { HandleOnce } from 'handle-once';
import type { KafkaEvent, KafkaHandler } from 'handle-once/kafka';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';

export interface ChaosPlan {
  readonly settings: ChaosSettings;
  readonly handleOnce: HandleOnce;
  readonly handler: KafkaHandler<Buffer | null>;
  readonly report: (what: WorkerReport) => void;
  readonly onEvent: (event: KafkaEvent) => void;
}

export interface ChaosConsumer {
  start(): Promise<void>;
  /** Leaves the group, also while it starts. */
  end(): Promise<void>;
}

/** The consumer of a worker process, of the client that KAFKA_CLIENT names. Only that is loaded. */
export async function chaosConsumer(plan: ChaosPlan): Promise<ChaosConsumer> {
  const { consumerOf } =
    process.env['KAFKA_CLIENT'] === 'confluent'
      ? await import('./chaos-confluent.ts')
      : await import('./chaos-kafkajs.ts');
  return consumerOf(plan);
}
