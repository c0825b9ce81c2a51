import { randomBytes } from 'node:crypto';
import { type Job, Queue, Worker, type WorkerOptions } from 'bullmq';
import { createHandleOnce, RetryableError, TerminalError } from 'handle-once';
import { onceEach, type OnceEachEvent, type OnceEachHandler } from 'handle-once/adapter';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { jobCalls, processorOf } from '../../examples/adapters/bullmq.ts';
import { useDatabase } from '../support/database.ts';
import { gate, unlessAborted } from '../support/gate.ts';
import { serviceUrl } from '../support/service-url.ts';
import { records } from './support/records.ts';
import { until } from '../support/until.ts';

const redisUrl = await serviceUrl('redis');

const Order = z.object({ id: z.string() });
type Charge = OnceEachHandler<z.infer<typeof Order>, Job>;

describe('bullmq.ts', () => {
  const { sql } = useDatabase();
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  afterAll(() => connection.quit());

  function createQueue(): Queue {
    const queue = new Queue(`test-${randomBytes(6).toString('hex')}`, { connection });
    onTestFinished(async () => {
      await queue.obliterate({ force: true });
      await queue.close();
    });
    return queue;
  }

  /** A worker as the comment of the example has it. */
  function startWorker(queue: Queue, charge: Charge, options: Partial<WorkerOptions> = {}) {
    const events: OnceEachEvent[] = [];
    const handleOnce = createHandleOnce({ sql, scope: 'billing', leaseMs: 2_000, backoff: () => 300 });
    const handle = onceEach(
      { handleOnce, schema: Order, ...jobCalls, onEvent: (event) => events.push(event) },
      charge,
    );
    const worker = new Worker(queue.name, processorOf(handle), {
      connection,
      concurrency: 2,
      maxStalledCount: 100,
      stalledInterval: 300,
      ...options,
    });
    const errors = vi.fn();
    worker.on('error', errors);
    onTestFinished(() => worker.close(true));
    return { worker, events, errors };
  }

  async function expectState(queue: Queue, { id }: Job, state: string): Promise<Job> {
    await expect.poll(() => queue.getJobState(id ?? ''), { timeout: 10_000, interval: 20 }).toBe(state);
    return (await queue.getJob(id ?? '')) as Job;
  }

  it('runs an order once that is added twice under one id', async () => {
    const queue = createQueue();
    const charge = vi.fn<Charge>(() => ({ chargeId: '1' }));
    const { events } = startWorker(queue, charge);
    const add = () => queue.add('order', { id: 'order-1' }, { jobId: 'order-1' });
    await expectState(queue, await add(), 'completed');
    await queue.clean(0, 100); // as `removeOnComplete` does: BullMQ has forgotten the id
    const second = await expectState(queue, await add(), 'completed');
    expect(second.returnvalue).toEqual({ chargeId: '1' });
    expect(charge).toHaveBeenCalledOnce();
    expect(events.map(({ type }) => type)).toEqual(['acknowledged', 'replayed', 'acknowledged']);
    expect((await records(sql)).find(({ key }) => key === `${queue.name}/order-1`)).toBeDefined();
  });

  it('does not run an order again whose job stalls while it runs', async () => {
    const queue = createQueue();
    const end = gate();
    const charge = vi.fn<Charge>(() => end.opened.then(() => 'charged'));
    startWorker(queue, charge, {
      concurrency: 1,
      lockDuration: 300,
      skipLockRenewal: true,
      skipStalledCheck: true,
    });
    const job = await queue.add('order', { id: 'order-2' });
    await until(() => charge.mock.calls.length === 1);
    const { events } = startWorker(queue, charge);
    const kept = { type: 'kept', reason: 'in-flight' };
    await vi.waitFor(() => {
      expect(events).toContainEqual(expect.objectContaining(kept));
    }, 10_000);
    await expectState(queue, job, 'delayed');
    end.open();
    expect(await expectState(queue, job, 'completed')).toMatchObject({
      returnvalue: 'charged',
      attemptsMade: 1,
    });
    expect(charge).toHaveBeenCalledOnce();
  });

  it('delays an order whose handler threw, although its job has one attempt', async () => {
    const queue = createQueue();
    let tries = 0;
    const { worker, errors } = startWorker(queue, () => {
      tries += 1;
      if (tries <= 2) throw new RetryableError('rate limited', { retryAfterMs: 400 });
    });
    const failed = vi.fn();
    worker.on('failed', failed);
    const job = await queue.add('order', { id: 'order-3' }, { attempts: 1 });
    expect((await expectState(queue, job, 'delayed')).delay).toBeGreaterThan(0);
    await expectState(queue, job, 'completed');
    expect([tries, failed.mock.calls, errors.mock.calls]).toEqual([3, [], []]);
  });

  it('fails an order that failed for good, although its job has attempts left', async () => {
    const queue = createQueue();
    const charge = vi.fn<Charge>(() => {
      throw new TerminalError('the card is blocked');
    });
    startWorker(queue, charge);
    const job = await queue.add('order', { id: 'order-4' }, { attempts: 5 });
    const failed = await expectState(queue, job, 'failed');
    expect(failed.failedReason).toBe('the card is blocked');
    await failed.retry();
    await until(async () => ((await queue.getJob(job.id ?? '')) as Job).attemptsStarted === 2);
    await expectState(queue, job, 'failed');
    expect(charge).toHaveBeenCalledOnce();
  });

  it('fails an order that is another one under the same id, and says so', async () => {
    const queue = createQueue();
    const charge = vi.fn<Charge>();
    startWorker(queue, charge);
    await expectState(queue, await queue.add('order', { id: 'a' }, { jobId: 'order-5' }), 'completed');
    await queue.clean(0, 100);
    const other = await queue.add('order', { id: 'b' }, { jobId: 'order-5' });
    expect((await expectState(queue, other, 'failed')).failedReason).toContain('payload');
    expect(charge).toHaveBeenCalledOnce();
  });

  it('counts no failure when a job cannot be delayed: it stalls, and runs again', async () => {
    const queue = createQueue();
    let tries = 0;
    const charge: Charge = (_, { message }) => {
      tries += 1;
      if (tries > 1) return;
      message.token = 'of another worker'; // BullMQ refuses to delay it
      throw new Error('not now');
    };
    const { events } = startWorker(queue, charge, { lockDuration: 500 });
    const job = await queue.add('order', { id: 'order-6' }, { attempts: 1 });
    expect(await expectState(queue, job, 'completed')).toMatchObject({ attemptsMade: 1, stalledCounter: 1 });
    expect(tries).toBe(2);
    expect(events).toContainEqual(expect.objectContaining({ type: 'kept', reason: 'broker-error' }));
  });

  it('waits at a stop for what runs, and returns to the queue what is cancelled', async () => {
    const queue = createQueue();
    const end = gate();
    const charge = vi.fn<Charge>((_, { signal }) => unlessAborted(end.opened, signal));
    const { worker } = startWorker(queue, charge);
    const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map((id) => queue.add('order', { id })))) as [
      Job,
      Job,
      Job,
    ];
    await until(() => charge.mock.calls.length === 2);
    worker.cancelJob(b.id ?? '');
    const stopped = worker.close();
    await expectState(queue, b, 'delayed');
    expect(await queue.getJobState(a.id ?? '')).toBe('active');
    end.open();
    await stopped;
    expect(await queue.getJobState(a.id ?? '')).toBe('completed');
    expect(await queue.getJobState(c.id ?? '')).toBe('waiting');
    startWorker(queue, () => 'charged');
    await Promise.all([b, c].map((job) => expectState(queue, job, 'completed')));
    expect(charge).toHaveBeenCalledTimes(2);
  });
});
