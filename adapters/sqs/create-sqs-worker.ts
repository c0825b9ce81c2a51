import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import {
  storeIsUsable,
  kernelOf,
  createAdapterEvents,
  clockOf,
  NOT_AN_OBJECT,
  lazily,
  parseOptions,
  type GatheredBatchOptions,
  resolveOptions,
} from '../../src/adapter-kit.ts';
import { connectionWarning } from '../shared/connection-warning.ts';
import { warn } from '../shared/warn.ts';
import type { AnyHandleOnce, Counts } from '../../src/index.ts';
import { createQueue } from '../shared/sqs/queue.ts';
import { createMessageDelivery } from '../shared/sqs/queue-delivery.ts';
import type { Batching } from './batch-lanes.ts';
import { createDrain, type Drain } from './drain.ts';
import type { SqsEvent } from './events.ts';
import type { QueueHandlerFor, QueueOptionsChecked } from '../shared/sqs/queue-options.ts';
import type { SqsMessage } from './message.ts';
import { drainTime, type SqsOptions, type SqsPayload, sqsWorkerOptions } from './options.ts';
import { healthOf, type SqsHealth } from './health.ts';
import { checkAtStart, checkLease } from './queue-check.ts';
import { type Run, startRun, type StopReport } from './run.ts';
import { watchStore } from '../shared/store-health.ts';

const SUBJECT = 'createSqsWorker';

/** Options of `createSqsWorker`. */
export interface SqsWorkerOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
  Batch extends GatheredBatchOptions | undefined = GatheredBatchOptions | undefined,
> extends SqsOptions<Schema, Parsed, InTransaction> {
  /**
   * Makes the handler a batch handler, which gets up to `size` messages at once. Without it a handler gets one.
   *
   * SQS gives at most ten messages per receive: a `size` above ten needs several receives, which run at once if
   * `concurrency` times `size` leaves room for them. Messages wait for others for at most `waitMs` milliseconds, by
   * default 10, before they are claimed, and only while a receive is under way that could bring more.
   *
   * On a FIFO queue a batch has messages of many groups, each group's in order, and no group is in two batches at once.
   * When a message is kept, the later ones of its group do not run.
   *
   * `concurrency` counts batches: times `size` it is at most 5,000. It is refused with `maxDeaths` below 3, and with
   * `maxAttempts: 1` without a transaction.
   */
  readonly batch?: Batch;
  /** The most handlers that run at once, 1 to 1,000. Default 10. */
  readonly concurrency?: number | undefined;
  /** Seconds that a receive waits for messages, 0 to 20. Default 20. */
  readonly waitTimeSeconds?: number | undefined;
  /** Milliseconds that a stop waits for handlers before their signals abort, 0 to 43,200,000. Default 20,000. */
  readonly drainMs?: number | undefined;
}

/** Options of one `stop`. */
export interface StopOptions {
  /** Instead of that of the worker. Milliseconds, 0 to 43,200,000. */
  readonly drainMs?: number | undefined;
}

/** Receives from one queue and handles each message once. */
export interface SqsWorker {
  /**
   * Checks the queue's settings and starts to receive. Does nothing when the worker runs, or is stopped meanwhile;
   * starts it again after a stop. Throws `InvalidOptionsError` when there is no such queue or dead-letter queue, and
   * when it is a FIFO queue without a redrive policy and `onFailed` is not given; `SchemaError` when the tables are
   * missing, older than this version of the package, or too new for it. With a database that is down it starts, and
   * reports that.
   */
  start(): Promise<void>;
  /**
   * Stops receiving, returns messages that have not started, and waits for running handlers. Handlers that take longer
   * than `drainMs` have their signals aborted, and get 5 seconds more. A second stop with a shorter `drainMs` shortens
   * the first.
   *
   * A long poll in progress gets one second, and is then aborted: a message that SQS was sending at that moment is
   * hidden for its visibility timeout, and has used up one receive. If the redrive policy allows only one receive,
   * `stop` waits for the poll.
   *
   * At the end it calls `handleOnce.close()`.
   */
  stop(options?: StopOptions): Promise<StopReport>;
  /** How often each type of event happened. */
  counts(): Counts<SqsEvent['type']>;
  /**
   * What the worker knows about itself, for the probes of an orchestrator. It answers at once, and never throws.
   *
   * It costs no round trip, except when the last answer of the store is ten seconds old: then one read of the store
   * (`checkStore`) begins, for the next call.
   */
  health(): SqsHealth;
}

/**
 * A worker for one queue: long polls, runs handlers, keeps their messages invisible, and deletes, keeps or dead-letters
 * each by what its record says. Failures of the queue or the store are events, and the worker continues by itself.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const worker = createSqsWorker(
 *   { client: new SQSClient(), queueUrl, handleOnce, schema: orderSchema, concurrency: 50 },
 *   async (order, attempt) => {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   },
 * );
 * await worker.start();
 * process.once('SIGTERM', async () => {
 *   await worker.stop();
 *   await sql.end();
 * });
 * ```
 *
 * @example One transaction for up to 50 messages:
 *
 * ```ts
 * const options = { client: new SQSClient(), queueUrl, handleOnce, schema: orderSchema } as const;
 * const worker = createSqsWorker(
 *   { ...options, inTransaction: true, concurrency: 4, batch: { size: 50, waitMs: 20 } },
 *   async (orders, _attempts, tx) => {
 *     await tx`insert into orders ${tx(orders.map(({ orderId, cents }) => ({ id: orderId, cents })))}`;
 *   },
 * );
 * await worker.start();
 * ```
 */
export function createSqsWorker<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batch extends GatheredBatchOptions | undefined = undefined,
>(
  options: SqsWorkerOptions<Schema, Parsed, InTransaction, Batch> &
    QueueOptionsChecked<Batch, Schema, Parsed, Once, InTransaction>,
  handler: QueueHandlerFor<Batch, SqsMessage, SqsPayload<Schema, Parsed, Once>, Once, InTransaction>,
): SqsWorker {
  const resolved = resolveOptions(SUBJECT, sqsWorkerOptions(), options, handler);
  const { handleOnce, concurrency, inTransaction, waitTimeSeconds, batch, handler: given } = resolved;
  checkLease(SUBJECT, handleOnce.settings.leaseMs, resolved.visibilityTimeoutSeconds);
  const clock = clockOf(handleOnce);
  const events = createAdapterEvents(resolved);
  const queue = createQueue(resolved.client, resolved.queueUrl, clock);
  const { kernel, store } = watchStore(handleOnce, kernelOf({ ...resolved, subject: SUBJECT }));
  const delivery = createMessageDelivery({ ...resolved, kernel }, resolved.queueUrl, queue, events);
  const processor = { delivery, queue, events };
  let run: Run | undefined;
  let isStarted = false;
  let lastChange: Promise<unknown> = Promise.resolve();
  /** What the stops under way have in common. */
  let drain: Drain | undefined;
  let stops = 0;

  async function start(): Promise<void> {
    if (isStarted) return;
    store.update(await storeIsUsable(handleOnce));
    const { timeouts, maxReceiveCount } = await checkAtStart({
      subject: SUBJECT,
      queue,
      settings: handleOnce.settings,
      events,
      visibilityTimeoutSeconds: resolved.visibilityTimeoutSeconds,
      onFailed: resolved.onFailed,
      ownsReceives: true,
    });
    // Stopped during the check: each receive would cost its messages one of their receives.
    if (stops > 0) return;
    warn(connectionWarning({ ...handleOnce.settings, ...resolved }), events);
    const batching = batch && { ...batch, handler: given as unknown as Batching['handler'] };
    const options = { clock, processor, concurrency, batching, inTransaction, waitTimeSeconds };
    run = startRun({
      ...options,
      visibilityTimeoutSeconds: timeouts.held,
      // A message that an aborted poll swallows comes again, where it may.
      abortsPolls: maxReceiveCount !== 1,
    });
    isStarted = true;
  }

  async function stop(stopOptions: StopOptions): Promise<StopReport> {
    const { drainMs = resolved.drainMs } = parseOptions(`${SUBJECT} stop`, stopOptionsSchema(), stopOptions);
    const shared = (drain ??= createDrain(clock));
    shared.endWithin(drainMs);
    stops += 1;
    try {
      return await inOrder(async () => {
        isStarted = false;
        const report = (await run?.stop(shared.over)) ?? { abandoned: 0 };
        await handleOnce.close();
        return report;
      });
    } finally {
      stops -= 1;
      shared.cancel();
      drain = undefined;
    }
  }

  /** Starts and stops happen one after the other, in the order of the calls. */
  function inOrder<T>(change: () => Promise<T>): Promise<T> {
    const changed = lastChange.then(change);
    lastChange = changed.catch(() => undefined);
    return changed;
  }

  return {
    start: () => inOrder(start),
    stop: (stopOptions = {}) => stop(stopOptions),
    counts: events.counts,
    health: () => healthOf(resolved.queueUrl, store.reach(), isStarted ? run?.health() : undefined),
  };
}

const stopOptionsSchema = lazily(() => z.strictObject({ drainMs: z.optional(drainTime()) }, NOT_AN_OBJECT));
