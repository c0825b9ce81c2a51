import { createRequire } from 'node:module';
import type { ConfluentAdmin, ConfluentPackage, ConfluentProducer } from 'handle-once/kafka-confluent';

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

const FOLDER = new URL('../../../../kafka-clients/package.json', import.meta.url);

export function confluentPackage(): InstalledPackage {
  return createRequire(FOLDER)('@confluentinc/kafka-javascript') as InstalledPackage;
}

const NOTHING = 0;

/** What makes admin clients and producers that log nothing. */
export function confluentKafka(
  brokers: readonly string[],
): InstanceType<InstalledPackage['KafkaJS']['Kafka']> {
  return new (confluentPackage().KafkaJS.Kafka)({ kafkaJS: { brokers: [...brokers], logLevel: NOTHING } });
}
