import { type InHandMessage, type SqsMessage, toInHandMessage } from '../message.ts';
import { attempt, MAX_BATCH, type Queue } from '../queue.ts';

/** A dead-letter queue that is read to its end. */
export interface LetterQueue {
  /** The next letters, each of them once; none at the end. */
  receive(): Promise<readonly InHandMessage[]>;
  /** Whether its visibility timeout can not have lapsed. */
  isOurs(letter: InHandMessage): boolean;
  /** It was looked at, and stays: it is not received again. */
  keep(letter: InHandMessage): void;
  remove(letter: InHandMessage): Promise<void>;
  /** Makes those that are still in hand visible. */
  returnAll(): Promise<void>;
}

/** A long poll asks all servers of the queue, and so an empty one is the end of it. */
const WAIT_SECONDS = 1;
/** Of polls that find only what was kept, and has become visible again. */
const LAST_POLLS = 3;
/** The queue counts from when it sent the letter, we from when it came: allow for the way between. */
const TRAVEL_MARGIN_MS = 500;

export function createLetterQueue(
  subject: string,
  queue: Queue,
  visibilityTimeoutSeconds: number,
): LetterQueue {
  const held = new Map<string, InHandMessage>();
  const kept = new Set<string>();
  // Never aborted: what is on its way in a poll that is cut off is hidden for the whole timeout.
  const { signal } = new AbortController();

  function isOurs({ receivedAt }: InHandMessage): boolean {
    return performance.now() < receivedAt + visibilityTimeoutSeconds * 1_000 - TRAVEL_MARGIN_MS;
  }

  function hold(messages: readonly SqsMessage[]): InHandMessage[] {
    const receivedAt = performance.now();
    const letters = messages.map((message) => toInHandMessage(subject, message, receivedAt));
    for (const letter of letters) held.set(letter.messageId, letter);
    return letters;
  }

  return {
    isOurs,
    async receive() {
      for (let polls = 0; polls < LAST_POLLS; polls += 1) {
        const request = { max: MAX_BATCH, waitTimeSeconds: WAIT_SECONDS, visibilityTimeoutSeconds, signal };
        const letters = hold(await queue.receive(request));
        const fresh = letters.filter(({ messageId }) => !kept.has(messageId));
        if (fresh.length > 0 || letters.length === 0) return fresh;
      }
      return [];
    },
    keep({ messageId }) {
      kept.add(messageId);
    },
    async remove({ messageId, receiptHandle }) {
      const reply = await attempt(queue.delete(receiptHandle));
      if (!reply.done) throw reply.error;
      held.delete(messageId);
    },
    async returnAll() {
      const letters = [...held.values()].filter(isOurs);
      await Promise.allSettled(letters.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, 0)));
    },
  };
}
