export const crashPoints = [
  'before-claim',
  'after-claim',
  'in-handler',
  'after-effect',
  'after-settle',
  'before-delete',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Who receives and deletes. */
export const receivers = ['createSqsWorker', 'sqs-consumer'] as const;

export type Receiver = (typeof receivers)[number];

export interface WorkerSettings {
  readonly receiver: Receiver;
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly databaseUrl: string;
  readonly scope: string;
  /** Undefined: it lives. */
  readonly crashAt?: CrashPoint;
  readonly leaseMs: number;
  readonly maxDeaths: number;
}
