import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { type Counts, createEventSink, parseOptions, wholeNumber } from '../../src/adapter-kit.ts';
import type { Transactional } from '../../src/index.ts';
import type { SqsEvent } from './events.ts';
import { type SqsHandler, type SqsOptions, sqsWorkerOptions } from './options.ts';
import { createProcessor } from './processor.ts';
import { createQueue } from './queue.ts';
import { checkLease, checkQueue } from './queue-check.ts';
import { type Run, startRun, type StopReport } from './run.ts';

const SUBJECT = 'createSqsWorker';

export interface SqsWorkerOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  Result,
  Extra extends readonly unknown[] = [],
> extends SqsOptions<Schema, Parsed> {
  readonly handler: SqsHandler<Schema, Parsed, Result, Extra>;
  /** The most handlers that run at once, 1 to 1,000. Default 10. */
  readonly concurrency?: number | undefined;
  /** Seconds that a receive waits for messages, 0 to 20; a stop waits for it too. Default 20. */
  readonly waitTimeSeconds?: number | undefined;
}

export interface StopOptions {
  /** Milliseconds that handlers get to finish before their signals abort. Default 20,000. */
  readonly drainMs?: number | undefined;
}

/** Receives from one queue and handles each message once. */
export interface SqsWorker {
  /**
   * Checks the queue's settings and starts to receive. Does nothing when the worker runs; starts it again after a
   * stop. Throws `InvalidOptionsError` when there is no such queue, and when it is a FIFO queue without a redrive
   * policy and `onFailed` is not given.
   */
  start(): Promise<void>;
  /**
   * Stops receiving, gives back what has not started, and waits for what has. Handlers that take longer than
   * `drainMs` have their signals aborted, and get 5 seconds more. It also waits for the last long poll, since a
   * message on its way in an abandoned one would stay invisible.
   */
  stop(options?: StopOptions): Promise<StopReport>;
  /** How often each type of event happened. */
  counts(): Counts<SqsEvent['type']>;
}

/**
 * A worker for one queue: long polls, runs handlers, keeps their messages invisible, and deletes, leaves or
 * dead-letters each by what its record says. Failures of the queue or the store are events, and it goes on by itself.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const worker = createSqsWorker({
 *   client: new SQSClient(),
 *   queueUrl,
 *   handleOnce,
 *   concurrency: 50,
 *   handler: async (order, attempt) => {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   },
 * });
 * await worker.start();
 * process.once('SIGTERM', () => void worker.stop());
 * ```
 */
export function createSqsWorker<
  Result,
  Tx,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
>(options: Transactional<SqsWorkerOptions<Schema, Parsed, Result, [transaction: Tx]>, Tx>): SqsWorker;
export function createSqsWorker<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
>(options: SqsWorkerOptions<Schema, Parsed, Result>): SqsWorker;
export function createSqsWorker(options: object): SqsWorker {
  const resolved = parseOptions(SUBJECT, sqsWorkerOptions, options);
  const { handleOnce, concurrency, waitTimeSeconds } = resolved;
  if (resolved.visibilityTimeoutSeconds !== undefined) {
    checkLease(SUBJECT, handleOnce.settings.leaseMs, resolved.visibilityTimeoutSeconds);
  }
  const events = createEventSink(resolved.onEvent);
  const queue = createQueue(resolved.client, resolved.queueUrl);
  const processor = createProcessor(resolved, queue, events, resolved.handler);
  let run: Run | undefined;
  let lastChange: Promise<unknown> = Promise.resolve();

  async function start(): Promise<void> {
    if (run !== undefined) return;
    const { timeouts } = await checkQueue({
      subject: SUBJECT,
      queue,
      settings: handleOnce.settings,
      events,
      visibilityTimeoutSeconds: resolved.visibilityTimeoutSeconds,
      onFailed: resolved.onFailed,
    });
    const options = { queue, events, processor, concurrency, waitTimeSeconds };
    run = startRun({ ...options, visibilityTimeoutSeconds: timeouts.held });
  }

  async function stop(stopOptions: StopOptions): Promise<StopReport> {
    const { drainMs } = parseOptions(`${SUBJECT} stop`, stopOptionsSchema, stopOptions);
    const report = (await run?.stop(drainMs)) ?? { abandoned: 0 };
    run = undefined;
    return report;
  }

  /** Starts and stops happen one after the other, in the order of the calls. */
  function inOrder<T>(change: () => Promise<T>): Promise<T> {
    const changed = lastChange.then(change);
    lastChange = changed.catch(() => undefined);
    return changed;
  }

  return {
    start: () => inOrder(start),
    stop: (stopOptions = {}) => inOrder(() => stop(stopOptions)),
    counts: events.counts,
  };
}

const stopOptionsSchema = z.strictObject(
  { drainMs: wholeNumber('milliseconds', 0, 43_200_000).default(20_000) },
  { error: 'the options must be an object' },
);
