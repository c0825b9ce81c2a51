/** Where a message came from, as its adapter knows it. It has no part of the payload. */
export interface MessageSource {
  /** Of the broker, as traces call it: `aws_sqs` or `kafka`. Undefined for a webhook. */
  readonly system?: string | undefined;
  /** The queue, the topic, or the name of a webhook's source. */
  readonly destination: string;
  /**
   * A message attribute or a header of the message, by its name, as text. Undefined where there is none.
   */
  readonly header: (name: string) => string | undefined;
  /** The id that the broker gave the message. */
  readonly messageId?: string | undefined;
  /** Of a topic. */
  readonly partition?: number | undefined;
  /** In the partition, as text: it can be above what a number holds. */
  readonly offset?: string | undefined;
  /** Of Kafka. */
  readonly consumerGroup?: string | undefined;
}

/** An attempt that begins. */
export interface BeginningAttempt {
  /** Of the record: the scope of `createHandleOnce`, or what `inScope` or an adapter made of it. */
  readonly scope: string;
  /** Of the record. */
  readonly key: string;
  /** How often this message has been tried, this time included: from 1. */
  readonly number: number;
  /** Undefined for a call of `handleOnce` itself, and for an HTTP request. */
  readonly source: MessageSource | undefined;
  /**
   * How many messages the batch handler ran for, once `run` has ended. Undefined before that, and if it ran only for
   * this one.
   */
  readonly batchSize: number | undefined;
}

/**
 * Runs around each attempt: calls `run`, and may do something before and after it. What it sets up with
 * `AsyncLocalStorage` is there in the handler.
 *
 * It does not change what happens to the message: if it throws, or ends without a call of `run`, the attempt runs
 * anyway, and what it throws is reported. `run` rejects with what the handler throws; a second call runs nothing again.
 * The attempt does not wait for what the hook does after `run`.
 *
 * @example
 * ```ts
 * import { AsyncLocalStorage } from 'node:async_hooks';
 * import { type Around, createHandleOnce } from 'handle-once';
 *
 * const current = new AsyncLocalStorage<string>();
 * const around: Around = ({ key }, run) => current.run(key, run);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing', around });
 * ```
 */
export interface Around {
  <Result>(attempt: BeginningAttempt, run: () => Promise<Result>): Promise<unknown>;
  /**
   * Runs around the start of a consumer. If its client then calls this package, as kafkajs does, those calls have what
   * the hook sets up with `AsyncLocalStorage`. If it throws, the start throws the same.
   */
  readonly consumer?: (<Result>(start: () => Promise<Result>) => Promise<Result>) | undefined;
}
