import type { Consumer, ConsumerRunConfig, KafkaMessage } from 'kafkajs';

/** The effect of a message: one INSERT. Resolves when it is durable. */
export type Work = (message: KafkaMessage) => Promise<void>;

/** One way to consume. */
export interface Contender {
  readonly name: string;
  readonly runConfig: (consumer: Consumer, groupId: string, work: Work) => ConsumerRunConfig;
}
