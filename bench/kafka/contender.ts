import type { Consumer, ConsumerRunConfig, KafkaMessage } from 'kafkajs';
import type postgres from 'postgres';

/** The effect of messages: one INSERT, in a transaction where one is given. Resolves when it is done. */
export type Work = (messages: readonly KafkaMessage[], transaction?: postgres.ISql) => Promise<void>;

/** One way to consume. */
export interface Contender {
  readonly name: string;
  readonly runConfig: (consumer: Consumer, groupId: string, work: Work) => ConsumerRunConfig;
}
