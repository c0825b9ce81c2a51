import { delay, Hold, systemClock } from '../../../src/adapter-kit.ts';
import { startPoll, TRAVEL_MARGIN_MS } from '../../shared/sqs/visibility-limits.ts';
import { type ReceivedMessage, type SqsMessage, toReceivedMessage } from '../message.ts';
import { attempt, MAX_BATCH, type Queue } from '../../shared/sqs/queue.ts';

/** A long poll asks all servers of the queue, and so an empty one is the end of it. */
const WAIT_SECONDS = 1;

/** All that are in a queue: SQS counts those that are hidden, and those that wait for a delay, apart. */
const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
];

/** A count can be late: dead letters that were just removed are still in it. */
const COUNT_TRIES = 5;
const COUNT_AGAIN_MS = 1_000;

/** What it takes to make a dead letter visible. */
interface Held {
  readonly receiptHandle: string;
  /** Of all that came with it. */
  readonly hold: Hold;
}

export type DeadLetterQueue = ReturnType<typeof createDeadLetterQueue>;

/** A dead-letter queue that is read to its end. */
export function createDeadLetterQueue(subject: string, queue: Queue, visibilityTimeoutSeconds: number) {
  /** By `MessageId`, the first received first. Without their bodies: all dead letters of a queue can be kept. */
  const held = new Map<string, Held>();
  const kept = new Set<string>();
  /** Whether one came since those that were kept were made visible. */
  let hasMoved = false;
  // Never aborted: what is on its way in a poll that is cut off is hidden for the whole timeout.
  const { signal } = new AbortController();

  /** Whether its visibility timeout can not have lapsed. */
  function isOurs({ messageId }: Pick<ReceivedMessage, 'messageId'>): boolean {
    return held.get(messageId)?.hold.isOurs() === true;
  }

  function forgetLapsed(): void {
    for (const [messageId, one] of held) {
      if (one.hold.isOurs()) return;
      held.delete(messageId);
    }
  }

  function received(messages: readonly SqsMessage[], receivedAt: number): ReceivedMessage[] {
    forgetLapsed();
    const deadLetters = messages.map((message) => toReceivedMessage(subject, message, receivedAt));
    const until = receivedAt + visibilityTimeoutSeconds * 1_000;
    const hold = new Hold({ clock: systemClock, until, marginMs: TRAVEL_MARGIN_MS });
    for (const { messageId, receiptHandle } of deadLetters) {
      held.delete(messageId);
      held.set(messageId, { receiptHandle, hold });
    }
    return deadLetters;
  }

  async function receiveFresh(isOver: () => boolean): Promise<readonly ReceivedMessage[]> {
    // More than there are: one has come twice, and so nothing else in a whole visibility timeout.
    for (let again = 0; again <= kept.size && !isOver();) {
      const request = { max: MAX_BATCH, waitTimeSeconds: WAIT_SECONDS, visibilityTimeoutSeconds, signal };
      const receivedAt = startPoll(systemClock, WAIT_SECONDS);
      const messages = await queue.receive(request);
      const deadLetters = received(messages, receivedAt());
      const fresh = deadLetters.filter(({ messageId }) => !kept.has(messageId));
      if (fresh.length > 0 || deadLetters.length === 0) return fresh;
      again += deadLetters.length;
    }
    return [];
  }

  async function countsMoreThan(known: number): Promise<boolean> {
    const attributes = await queue.attributes().catch(() => undefined);
    if (attributes === undefined) return true;
    const counts = COUNTS.map((name) => Number(attributes[name] ?? 0));
    return counts.reduce((sum, count) => sum + count) > known;
  }

  /** Makes those visible that are still held. */
  async function returnAll(): Promise<void> {
    const deadLetters = [...held.values()].filter(({ hold }) => hold.isOurs());
    held.clear();
    await Promise.allSettled(
      deadLetters.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, 0)),
    );
  }

  return {
    isOurs,
    returnAll,
    /** The next dead letters, each of them once; none at the end, and where it is over. */
    async receive(isOver: () => boolean): Promise<readonly ReceivedMessage[]> {
      for (;;) {
        const fresh = await receiveFresh(isOver);
        if (fresh.length > 0) hasMoved = true;
        // In a FIFO queue those that are kept hide what is behind them in their groups.
        if (fresh.length > 0 || !queue.isFifo || kept.size === 0 || !hasMoved || isOver()) return fresh;
        hasMoved = false;
        await returnAll();
      }
    },
    /**
     * Whether the queue has more dead letters than those that were kept: another reader has them, or they are behind
     * others of their FIFO group. Also true where the queue does not say how many it has.
     */
    async hasOthers(isOver: () => boolean): Promise<boolean> {
      for (let asked = 1; await countsMoreThan(kept.size); asked += 1) {
        if (asked === COUNT_TRIES || isOver()) return true;
        await delay(systemClock, COUNT_AGAIN_MS);
      }
      return false;
    },
    /** It was looked at, and stays: it is not received again. */
    keep({ messageId }: ReceivedMessage): void {
      kept.add(messageId);
    },
    async remove({ messageId, receiptHandle }: ReceivedMessage): Promise<void> {
      const reply = await attempt(queue.delete(receiptHandle));
      if (!reply.done) throw reply.error;
      held.delete(messageId);
    },
  };
}
