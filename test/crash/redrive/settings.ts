export const redriveCrashPoints = ['before-retry', 'before-send', 'after-send', 'after-remove'] as const;

export type RedriveCrashPoint = (typeof redriveCrashPoints)[number];

export interface RedriveSettings {
  readonly broker: 'sqs' | 'kafka';
  /** The endpoint of SQS, or the brokers of Kafka with commas between them. */
  readonly servers: string;
  readonly databaseUrl: string;
  readonly from: string;
  readonly to: string;
  readonly crashAt: RedriveCrashPoint;
}
