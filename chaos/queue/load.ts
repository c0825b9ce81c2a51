import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Messages that are sent all the time, numbered from 0. */
export interface Load {
  /** Returns how many were sent. */
  end(): Promise<number>;
}

const EVERY_MS = 100;
const BATCH = 10;
/** One of so many is sent twice. */
const TWICE_EVERY = 10;

/** A send that fails is sent again, until the queue has it: then it may have it twice. */
export function startLoad(client: SQSClient, queueUrl: string, perSecond: number): Load {
  let isRunning = true;
  let next = 0;

  async function run(): Promise<void> {
    const startedAt = performance.now();
    while (isRunning) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
      // What is due after a queue was away comes in parts.
      const until = Math.min(due, next + perSecond);
      while (next < until) {
        const numbers = Array.from({ length: Math.min(BATCH, until - next) }, (_, index) => next + index);
        await send(numbers);
        await send(numbers.filter((number) => number % TWICE_EVERY === 0));
        next += numbers.length;
      }
      await sleep(EVERY_MS);
    }
  }

  async function send(numbers: readonly number[]): Promise<void> {
    let left = numbers;
    while (left.length > 0) {
      const Entries = left.map((message) => ({
        Id: String(message),
        MessageBody: JSON.stringify({ message }),
      }));
      const reply = await client
        .send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
        .catch(() => undefined);
      const sent = new Set((reply?.Successful ?? []).map(({ Id }) => Id));
      left = left.filter((message) => !sent.has(String(message)));
      if (left.length > 0) await sleep(EVERY_MS);
    }
  }

  const running = run();
  return {
    async end() {
      isRunning = false;
      await running;
      return next;
    },
  };
}
