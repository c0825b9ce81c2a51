import { createHandleOnce } from 'handle-once';
import type { KafkaEvent } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import { vi } from 'vitest';

export type Work = (place: string, signal: AbortSignal) => unknown;

interface Delivery {
  readonly partition: number;
  readonly message: { readonly offset: string };
}

/** What a worker of any package is given where its test says nothing else, and what is seen of it. */
export function workerBench(work: Work = () => undefined) {
  /** The place of each message that its work has started. */
  const started: string[] = [];
  const events: KafkaEvent[] = [];
  const options = {
    topics: ['orders'],
    groupId: 'workers',
    fromBeginning: true,
    onFailed: 'acknowledge' as const,
    drainMs: 200,
    handleOnce: handleOnceOf(),
    onEvent: (event: KafkaEvent) => void events.push(event),
  };
  const handler = async ({ partition, message }: Delivery, { signal }: { signal: AbortSignal }) => {
    started.push(`${partition}-${message.offset}`);
    return await work(`${partition}-${message.offset}`, signal);
  };
  /** The places of each batch. */
  const batches: string[][] = [];
  const batchHandler = (deliveries: readonly Delivery[]) => {
    batches.push(deliveries.map(({ partition, message: { offset } }) => `${partition}-${offset}`));
  };
  const warnings = () =>
    events.flatMap((event) => (event.type === 'warning' ? [`${event.warning}: ${event.message}`] : []));
  return { started, events, options, handler, warnings, batches, batchHandler };
}

export function handleOnceOf(leaseMs?: number) {
  return createHandleOnce({ store: createMemoryStore(), scope: 'billing', backoff: () => 0, leaseMs });
}

/** Waits until something is so, as workers poll and fake brokers answer. */
export async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { timeout: 5_000, interval: 5 });
}
