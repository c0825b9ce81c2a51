/**
 * BullMQ, with `onceEach`: copy this file.
 *
 * const handle = onceEach({ handleOnce, schema: Order, ...jobCalls }, charge); const worker = new Worker('orders',
 * processorOf(handle), { connection, concurrency: 10, maxStalledCount: 100 });
 *
 * The record counts attempts and decides when a job is tried again: `attempts` and `backoff` of the job do not matter.
 * Set `maxStalledCount` above `maxDeaths`, and leave `maxStartedAttempts` out: BullMQ would fail a job whose record is
 * pending. A job that failed permanently is in BullMQ's failed set; a retry there is answered from its record. Handlers
 * must not call `job.updateData`: the same job has to come with the same content.
 *
 * `worker.close()` waits for the jobs that run. To return them to the queue, call `worker.cancelAllJobs()` before.
 */
import { DelayedError, type Job, type Processor, UnrecoverableError } from 'bullmq';
import type { HandledMessage, OnceEach } from 'handle-once/adapter';

export const jobCalls = {
  key,
  body: (job: Job) => job.data as unknown,
  parse: (data: unknown) => data, // BullMQ has parsed it
  acknowledge: () => undefined, // the processor returns
  retryLater: (job: Job, delayMs: number) => job.moveToDelayed(Date.now() + delayMs, job.token),
  onFailed: { to: 'failed jobs', send: () => undefined }, // the processor throws
};

/**
 * A `jobId` of the producer is one job, also when it is added again after BullMQ has removed the first. Else BullMQ
 * counts: from 1 again when Redis has lost its data, so the time belongs to the key. An id of BullMQ's own
 * deduplication may come back for another job, and is no key.
 */
function key({ queueName, id, timestamp, opts }: Job): string | undefined {
  if (opts.jobId !== undefined) return `${queueName}/${opts.jobId}`;
  return id === undefined ? undefined : `${queueName}/${id}/${timestamp}`;
}

/** What a `Worker` runs. BullMQ looks at the number of parameters: with three it gives the signal of `cancelJob`. */
export function processorOf(handle: OnceEach<Job, unknown>): Processor<unknown, unknown> {
  return async (job: Job, _token: string | undefined, signal: AbortSignal | undefined) => {
    const handled = await handle(job, { signal });
    // It is in the delayed set, or its lock is lost: then BullMQ finds it stalled. Neither is a failure.
    if (handled.action === 'kept') throw new DelayedError();
    if (handled.outcome?.state === 'succeeded') return handled.outcome.result;
    throw new UnrecoverableError(whyFailed(handled));
  };
}

function whyFailed({ outcome, error }: HandledMessage<unknown>): string {
  if (outcome?.state === 'failed') return outcome.error.message;
  return error instanceof Error ? error.message : 'refused';
}
