import type { HandleOnce } from 'handle-once';
import type { KafkaEvent, KafkaHandler } from 'handle-once/kafka';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';

export interface ChaosPlan {
  readonly settings: ChaosSettings;
  readonly handler: KafkaHandler<Buffer | null>;
  /** May have options with which the handler gets other arguments than its type says. */
  readonly handling: { readonly handleOnce: HandleOnce };
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
  const { consumerOf } = await load(process.env['KAFKA_CLIENT']);
  return consumerOf(plan);
}

function load(client: string | undefined): Promise<{ consumerOf: (plan: ChaosPlan) => ChaosConsumer }> {
  if (client === 'confluent') return import('./chaos-confluent.ts');
  if (client === 'platformatic') return import('./chaos-platformatic.ts');
  return import('./chaos-kafkajs.ts');
}
