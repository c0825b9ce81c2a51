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
/** No more messages wait: a message that comes again would wait behind them. */
const MOST_WAITING = 200;
const LAST_SENDS_MS = 60_000;

/**
 * So many in a second, while workers keep up. A send that fails is sent again, until the queue has it: then it may have
 * it twice.
 */
export function startLoad(
  client: SQSClient,
  queueUrl: string,
  { perSecond, ended }: { perSecond: number; ended: () => number },
): Load {
  let isRunning = true;
  let givesUpAt = Infinity;
  let next = 0;

  async function run(): Promise<void> {
    while (isRunning) {
      const until = Math.min(next + (perSecond * EVERY_MS) / 1_000, ended() + MOST_WAITING);
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
      if (performance.now() > givesUpAt) throw new Error('the queue does not take the last messages');
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
      givesUpAt = Math.min(givesUpAt, performance.now() + LAST_SENDS_MS);
      await running;
      return next;
    },
  };
}
