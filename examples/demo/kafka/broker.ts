import type { Broker } from '../broker.ts';
import { CONCURRENCY, LATE_WORKER, PARTITIONS } from './environment.ts';
import { startKafkaBroker } from './start-kafka-broker.ts';

export const kafka: Broker = {
  name: 'Kafka',
  once: {
    file: new URL('worker.ts', import.meta.url),
    atOnce: `${CONCURRENCY} handlers each, for ${PARTITIONS} partitions`,
    leastOnEachSide: 2,
  },
  control: {
    file: new URL('control-worker.ts', import.meta.url),
    atOnce: `a handler for each of ${PARTITIONS} partitions`,
    leastOnEachSide: 0,
  },
  firstWorkers: [1, 2],
  lateWorkers: [LATE_WORKER],
  words: {
    disturbances: 'joins of the group',
    disturbed: (count) => `the workers joined the group ${count} times: partitions moved from one to another`,
    deliveries:
      'Kafka does not count deliveries. Here a delivery is a message that a worker started. Messages that it had ' +
      'only fetched when it died, or when the partition moved to another worker, are not counted.',
    control:
      'the same traffic, kill and third worker, with a plain eachMessage of kafkajs, which commits a batch when it ' +
      'has finished it, or leaves the group.',
  },
  start: startKafkaBroker,
};
