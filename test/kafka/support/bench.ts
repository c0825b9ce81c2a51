import { type Attempt, type BatchAttempt, createHandleOnce } from 'handle-once';
import type { Store } from 'handle-once/store';
import {
  type KafkaBatchHandler,
  type KafkaDelivery,
  type KafkaEvent,
  onceEachKafkaMessage,
  type OnceEachKafkaMessageOptions,
} from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import { vi } from 'vitest';
import type { BatchPayload } from '../../../adapters/kafka/log/kafkajs-types.ts';
import { type Gate, gate } from '../../support/gate.ts';
import { fakeConsumer } from './fake-consumer.ts';

/** How long a message is withheld after an error of its handler. */
export const BACKOFF_MS = 60_000;

type Delivery = KafkaDelivery<Buffer | null>;

export interface BenchOptions extends Partial<OnceEachKafkaMessageOptions<undefined, Buffer | null>> {
  readonly store?: Store;
  /** What handlers do once their gate, if there is one, is open. */
  readonly work?: (delivery: Delivery, attempt: BatchAttempt) => unknown;
}

/** A consumer without a broker: its handlers note that they started, and wait for the gates of their offsets. */
export function bench({ store = createMemoryStore(), work, ...options }: BenchOptions = {}) {
  const consumer = fakeConsumer();
  const events: KafkaEvent[] = [];
  const started: string[] = [];
  const attempts: Attempt[] = [];
  const batches: string[][] = [];
  const gates = new Map<string, Gate>();

  async function handle(delivery: Delivery, attempt: BatchAttempt): Promise<unknown> {
    const { offset } = delivery.message;
    started.push(offset);
    attempts.push(attempt);
    await gates.get(offset)?.opened;
    return work?.(delivery, attempt);
  }

  const handleBatch: KafkaBatchHandler<Buffer | null> = async (deliveries, batchAttempts) => {
    batches.push(deliveries.map(({ message: { offset } }) => offset));
    await Promise.all(
      deliveries.map((delivery, index) => handle(delivery, batchAttempts[index] as BatchAttempt)),
    );
  };

  const config = onceEachKafkaMessage(
    {
      consumer,
      groupId: 'workers',
      onFailed: 'acknowledge',
      fromBeginning: true,
      handleOnce: createHandleOnce({ store, scope: 'billing', backoff: () => BACKOFF_MS }),
      onEvent: (event) => events.push(event),
      ...options,
    },
    (options.batch === undefined ? handle : handleBatch) as never,
  );
  void consumer.run(config as never);
  consumer.calls.length = 0;
  consumer.join({ orders: [0] });

  return {
    consumer,
    config,
    events,
    started,
    attempts,
    /** The offsets of each run of the handler, with the option `batch`. */
    batches,
    /** Makes the handler of a message wait. */
    hold: (offset: number): Gate => {
      const held = gate();
      gates.set(String(offset), held);
      return held;
    },
    /** Gives a batch to the consumer. */
    run: (batch: BatchPayload): Run => {
      const run: Run = { state: 'running', error: undefined };
      consumer.hand(batch).then(
        () => (run.state = 'ended'),
        (error: unknown) => Object.assign(run, { state: 'threw', error }),
      );
      return run;
    },
    eventsOf: <Type extends KafkaEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<KafkaEvent, { type: Type }> => event.type === type),
  };
}

export interface Run {
  state: 'running' | 'ended' | 'threw';
  error: unknown;
}

/** Lets time pass, on the fake timers, and all that is due with it. */
export async function pass(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
