import { Kafka, logLevel, type RetryOptions } from 'kafkajs';

/** A client that logs nothing: much of what it calls an error it then retries, with success. */
export function createClient(brokers: string, retry?: RetryOptions): Kafka {
  return new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING, ...(retry && { retry }) });
}
