import type {
  ConfluentAdmin,
  ConfluentPackage,
  ConfluentProducer,
} from '../../../../../adapters/kafka/confluent/confluent-types.ts';
import { loadClient } from './installed-clients.ts';

/** The parts of the package that tests use, which is installed in test/kafka-clients. */
export interface InstalledPackage extends ConfluentPackage {
  readonly KafkaJS: {
    readonly Kafka: new (config: object) => {
      admin(): ConfluentAdmin & Connection;
      producer(config?: object): ConfluentProducer & Connection;
    };
  };
}

interface Connection {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

export function confluentPackage(): InstalledPackage {
  return loadClient('confluent') as InstalledPackage;
}

const NOTHING = 0;

/** What makes admin clients and producers that log nothing. */
export function confluentKafka(
  brokers: readonly string[],
): InstanceType<InstalledPackage['KafkaJS']['Kafka']> {
  return new (confluentPackage().KafkaJS.Kafka)({ kafkaJS: { brokers: [...brokers], logLevel: NOTHING } });
}
