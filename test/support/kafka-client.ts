import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs';

/**
 * A client that logs nothing: it calls an error what it then retries with success.
 * Knows nothing of the test runner: worker processes use it too.
 */
export function createKafkaClient(brokers: KafkaConfig['brokers'], socketFactory?: ISocketFactory): Kafka {
  const sockets = socketFactory === undefined ? {} : { socketFactory };
  return new Kafka({ brokers, logLevel: logLevel.NOTHING, ...sockets });
}
