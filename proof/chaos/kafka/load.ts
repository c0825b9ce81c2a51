import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';

export interface LoadOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /** How many keys there are; each is always in the same partition. */
  readonly keys: number;
  readonly perSecond: number;
}

/** Messages that are produced all the time. */
export interface Load {
  end(): Promise<void>;
}

const EVERY_MS = 100;

/**
 * A send whose answer was lost is sent again, or given up: then a message is in the log twice, or perhaps not at all.
 * The log is what counts. All messages of it are compared with the records, each by its offset.
 */
export async function startLoad({ kafka, topic, partitions, keys, perSecond }: LoadOptions): Promise<Load> {
  const producer = kafka.producer();
  await producer.connect();
  let isRunning = true;
  let next = 0;

  async function run(): Promise<void> {
    const startedAt = performance.now();
    while (isRunning) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
      // What is due after a broker was away comes in parts.
      const count = Math.min(due - next, perSecond);
      const messages = Array.from({ length: count }, (_, index) => {
        const key = (next + index) % keys;
        return { key: `key-${key}`, partition: key % partitions, value: String(next + index) };
      });
      if (count > 0) await producer.send({ topic, acks: -1, messages }).catch(() => undefined);
      next += count;
      await sleep(EVERY_MS);
    }
  }

  const running = run();
  return {
    async end() {
      isRunning = false;
      await running;
      await producer.disconnect();
    },
  };
}
