/** How a worker finds its topic, and in which group it is. */
export interface KafkaEnvironment {
  readonly KAFKA_BROKERS: string;
  readonly DEMO_TOPIC: string;
  readonly DEMO_GROUP: string;
}

export function kafkaEnvironment(): KafkaEnvironment {
  return process.env as typeof process.env & KafkaEnvironment;
}

export const PARTITIONS = 4;

/** The worker that joins the group when another has taken over from the dead one. */
export const LATE_WORKER = 3;

export const CONCURRENCY = 6;

/** Shorter than with SQS: the control handles one message of a partition after the other. */
export const LONGEST_WAIT_MS = 40;

/** The shortest that brokers allow unless they are told otherwise. A dead worker's partitions have no owner so long. */
export const SESSION_TIMEOUT_MS = 6_000;
