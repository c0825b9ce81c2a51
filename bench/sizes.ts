/** How much of everything a run does. */
export interface Sizes {
  readonly rounds: number;
  readonly inFlight: readonly number[];
  /** How long one contender is measured for in a round, roughly. */
  readonly secondsEach: number;
  /** Messages that arrive at a rate, however low it is: percentiles are of no fewer. */
  readonly fewestArrivals: number;
  /** Messages that each table has before the first round: an empty one gets plans that a real one would not. */
  readonly fill: number;
  readonly brokerRounds: number;
  readonly brokerMessages: number;
  readonly brokerPartitions: readonly number[];
  readonly tableRecords: readonly number[];
  /** Of a table that is in one piece, and in partitions. */
  readonly partitionedRecords: number;
  readonly memoryMessages: number;
  /** Of one contender in a round. */
  readonly observedMessages: number;
  /** Expired records that a purge finds. */
  readonly expired: number;
  /** Of one contender, while vacuum is held back and before. */
  readonly windowMessages: number;
}

export const FULL: Sizes = {
  rounds: 5,
  inFlight: [1, 10, 100, 1_000],
  secondsEach: 0.8,
  fewestArrivals: 400,
  fill: 10_000,
  brokerRounds: 5,
  brokerMessages: 10_000,
  brokerPartitions: [1, 4, 16],
  tableRecords: [0, 1_000_000, 10_000_000],
  partitionedRecords: 10_000_000,
  memoryMessages: 1_000_000,
  observedMessages: 10_000,
  expired: 1_000_000,
  windowMessages: 4_000,
};

export const QUICK: Sizes = {
  rounds: 3,
  inFlight: [10, 100],
  secondsEach: 0.15,
  fewestArrivals: 100,
  fill: 1_000,
  brokerRounds: 1,
  brokerMessages: 2_000,
  brokerPartitions: [1, 4],
  tableRecords: [0, 100_000],
  partitionedRecords: 100_000,
  memoryMessages: 200_000,
  observedMessages: 5_000,
  expired: 50_000,
  windowMessages: 2_000,
};
