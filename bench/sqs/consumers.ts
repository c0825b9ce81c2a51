/** What the poller to compare with is given. */
export interface ConsumersOptions {
  readonly endpoint: string;
  readonly queueUrl: string;
  /** Pollers in this process, each with ten messages at once. */
  readonly pollers: number;
  /** Whether a poller deletes its ten in one call, or each in one. */
  readonly deletes: 'in batches' | 'one by one';
  readonly handle: (body: string) => Promise<unknown>;
}

export interface RunningConsumers {
  readonly stop: () => Promise<void>;
}
