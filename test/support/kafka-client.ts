import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs';

/** Shorter than the patience of tests: a consumer whose request has lost its answer goes on within a test. */
const REQUEST_TIMEOUT_MS = 8_000;

/**
 * A client that logs nothing: it calls an error what it then retries with success.
 * Knows nothing of the test runner: worker processes use it too.
 */
export function createKafkaClient(brokers: KafkaConfig['brokers'], socketFactory?: ISocketFactory): Kafka {
  const sockets = socketFactory === undefined ? {} : { socketFactory };
  return new Kafka({ brokers, requestTimeout: REQUEST_TIMEOUT_MS, logLevel: logLevel.NOTHING, ...sockets });
}
