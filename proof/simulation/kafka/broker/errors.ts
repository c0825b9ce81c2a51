/** What brokers refuse requests with. */
export type Refusal =
  | 'REBALANCE_IN_PROGRESS'
  | 'ILLEGAL_GENERATION'
  | 'UNKNOWN_MEMBER_ID'
  | 'NOT_COORDINATOR_FOR_GROUP'
  | 'NOT_LEADER_FOR_PARTITION'
  | 'OFFSET_OUT_OF_RANGE'
  | 'TOPIC_AUTHORIZATION_FAILED';

const RETRIABLE: ReadonlySet<Refusal> = new Set(['NOT_COORDINATOR_FOR_GROUP', 'NOT_LEADER_FOR_PARTITION']);

interface Details {
  readonly retriable?: boolean;
  readonly type?: Refusal;
  readonly cause?: unknown;
}

/** An error as kafkajs has them: it goes by their names and types. */
export class ClientError extends Error {
  override readonly name: string;
  readonly retriable: boolean;
  readonly type: Refusal | undefined;

  constructor(name: string, message: string, { retriable = true, type, cause }: Details = {}) {
    super(message, { cause });
    this.name = name;
    this.retriable = retriable;
    this.type = type;
  }
}

/** Gives the answer to a request, now or later. An error is a refusal. */
export type Answer<Result> = (result: Result | ClientError) => void;

export function refusal(type: Refusal): ClientError {
  const name = type === 'OFFSET_OUT_OF_RANGE' ? 'KafkaJSOffsetOutOfRange' : 'KafkaJSProtocolError';
  return new ClientError(name, type, { type, retriable: RETRIABLE.has(type) });
}

export function connectionRefused(): ClientError {
  return new ClientError('KafkaJSConnectionError', 'the broker refuses connections');
}

export function connectionClosed(): ClientError {
  return new ClientError('KafkaJSConnectionClosedError', 'the connection has broken');
}

export function requestTimedOut(): ClientError {
  return new ClientError('KafkaJSRequestTimeoutError', 'there is no answer');
}

export function nonRetriable(error: unknown): ClientError {
  const cause = (error as { readonly cause?: unknown }).cause ?? error;
  return new ClientError('KafkaJSNonRetriableError', String(error), { retriable: false, cause });
}

export function retriesExceeded(error: unknown): ClientError {
  const details = { retriable: false, cause: error };
  return new ClientError('KafkaJSNumberOfRetriesExceeded', String(error), details);
}

const UNRECOVERABLE = new Set(['RangeError', 'ReferenceError', 'SyntaxError', 'TypeError']);

export function isRetriable(error: unknown): boolean {
  const { name = '', retriable } = error as { readonly name?: string; readonly retriable?: boolean };
  return retriable !== false && !UNRECOVERABLE.has(name);
}

export function isOfType(error: unknown, ...types: readonly Refusal[]): boolean {
  return error instanceof ClientError && error.type !== undefined && types.includes(error.type);
}

/** Whether the client joins its group again because of an error. */
export function isRebalancing(error: unknown): boolean {
  return isOfType(error, 'REBALANCE_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP', 'ILLEGAL_GENERATION');
}
