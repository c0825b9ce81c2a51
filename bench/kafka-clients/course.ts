/** What one process is told to consume, and with what. */
export interface Course {
  readonly client: ClientName;
  readonly way: Way;
  readonly brokers: readonly string[];
  readonly databaseUrl: string;
  readonly topic: string;
  readonly partitions: number;
  readonly messages: number;
  readonly groupId: string;
}

export type ClientName = 'kafkajs' | 'confluent' | 'platformatic';

/** The client as its manual shows it, or with handleOnce. */
export type Way = 'bare' | 'partition' | 'key';

export const WAYS: readonly Way[] = ['bare', 'partition', 'key'];

/** The effect of a message: one INSERT. Resolves when it is durable. */
export type Work = (message: {
  readonly key?: Buffer | null | undefined;
  readonly value?: Buffer | null | undefined;
}) => Promise<void>;

/** A consumer that runs. */
export interface Running {
  stop(): Promise<void>;
}

export type Start = (course: Course, work: Work) => Promise<Running>;

/** How often the clients commit by themselves. Milliseconds, and the least that all of them take. */
export const COMMIT_INTERVAL_MS = 100;

/** Handlers at once, by key. */
export const IN_FLIGHT = 50;
