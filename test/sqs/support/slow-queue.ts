import { createHandleOnce, type HandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, type SqsHandler, type SqsWorker } from 'handle-once/sqs';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import { createFakeQueue, createMemoryStore, type FakeQueue } from 'handle-once/testing';
import { beforeEach, onTestFinished, vi } from 'vitest';

/** Fake timers in each test, to its very end. */
export function useFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });
  });
}

type FakeCommand = Parameters<FakeQueue['client']['send']>[0];

interface SlowQueueOptions {
  /** What each call takes. */
  readonly callMs: number;
  readonly concurrency: number;
  readonly visibilityTimeoutSeconds: number;
  readonly handler: SqsHandler<unknown>;
  /** Called with each call before it goes. True: it gets no reply until it is given up. What it throws, it answers. */
  readonly hangs?: (verb: string, input: object) => boolean;
  /** What receives give in place of their messages. */
  readonly received?: (reply: object) => object;
}

/** A worker of a fake queue whose calls take time: that of fake timers. */
export interface SlowQueue {
  readonly queue: FakeQueue;
  readonly handleOnce: HandleOnce;
  readonly worker: SqsWorker;
  readonly events: readonly SqsEvent[];
  /** The calls so far of this verb. */
  calls(verb: string): number;
}

/** By default a message is a dead letter when it would be received a second time. */
export function slowQueue(given: SlowQueueOptions, maxReceiveCount = 1): SlowQueue {
  const { callMs, hangs, received = (reply: object): object => reply, handler, ...options } = given;
  const queue = createFakeQueue({ maxReceiveCount });
  const calls = new Map<string, number>();
  const events: SqsEvent[] = [];

  async function send(command: object, { abortSignal }: { abortSignal: AbortSignal }): Promise<object> {
    const verb = command.constructor.name.replace(/Command$/, '');
    calls.set(verb, (calls.get(verb) ?? 0) + 1);
    const forward = (): Promise<object> => queue.client.send(command as FakeCommand, { abortSignal });
    if (verb === 'GetQueueAttributes') return await forward();
    if (hangs?.(verb, (command as { input: object }).input) === true) return await never(abortSignal);
    const reply = await forward();
    await after(callMs);
    return verb === 'ReceiveMessage' ? received(reply) : reply;
  }

  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs: 11_000 });
  const worker = createSqsWorker(
    {
      ...{ client: { send: send as unknown as SqsClient['send'] }, queueUrl: queue.queueUrl, handleOnce },
      ...{ waitTimeSeconds: 1, onFailed: 'keep', onEvent: (event) => events.push(event), ...options },
    },
    handler,
  );
  onTestFinished(async () => {
    const stopped = worker.stop({ drainMs: 0 });
    await vi.advanceTimersByTimeAsync(60_000);
    await stopped;
  });
  return { queue, handleOnce, worker, events, calls: (verb) => calls.get(verb) ?? 0 };
}

export function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}
