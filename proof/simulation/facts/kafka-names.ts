/** What is done by brokers of Kafka and their groups, by the client, and by its users. */
export const KAFKA_FAULTS = [
  'commit landed late',
  'commit of a fenced member',
  'group went on without a member',
  'coordinator moved',
  'leader of a partition moved',
  'right on a topic taken away',
  'messages deleted by retention',
  'position out of range',
  'position moved back by a user',
  'partition paused by its user',
  'client crashed and started again',
] as const;

export type KafkaFault = (typeof KAFKA_FAULTS)[number];

/** What becomes of a message of a log, and of its partition: the rows of the table of outcomes among them. */
export const KAFKA_OUTCOMES = [
  'acknowledged',
  'dead-lettered',
  'dead-letter-error',
  'retry-produced',
  'retry-error',
  'kept: in-flight',
  'kept: released',
  'kept: suspect',
  'kept: failed',
  'kept: lease-lost',
  'kept: unrecorded',
  'kept: invalid-key',
  'kept: store-error',
  'kept: aborted',
  'kept: dead-letter-refused',
  'kept: retry-refused',
  'partition-paused',
  'partition-lost',
  'log-changed',
  'client-error',
  'PARTITION_STUCK',
  'START_NOT_COMMITTED',
  'RETRY_TOPIC_NOT_CONSUMED',
] as const;

export type KafkaOutcome = (typeof KAFKA_OUTCOMES)[number];
