import { askPatiently, committedIn } from '../log/ask-admin.ts';
import { complete } from '../client/kafkajs.ts';
import type { BatchPayload } from '../log/kafkajs-types.ts';
import type { KafkaMessage } from '../log/log-client.ts';
import { DoneLetters } from './done-letters.ts';
import type { KafkaClients, LetterAdmin, LetterConsumer } from './kafka-client.ts';
import type { OpenPartition } from './open-partitions.ts';
import type { TopicProgress } from './topic-progress.ts';

/** A letter that was fetched. */
export interface FetchedLetter {
  readonly partition: number;
  readonly message: KafkaMessage;
  /** False once another member of the group may have its partition. */
  readonly isOurs: () => boolean;
  /** Whether it can be remembered that it is done with. */
  readonly hasRoom: boolean;
}

export interface ReadOptions {
  readonly kafka: Pick<KafkaClients, 'consumer' | 'admin'>;
  readonly topic: string;
  readonly groupId: string;
  /** Whether positions are committed. */
  readonly commits: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Whether no further letter is to be taken. */
  readonly isOver: () => boolean;
  /** `passed`: done with. `kept`: the next read takes it again. `untouched`: it was not looked at. */
  readonly take: (letter: FetchedLetter) => Promise<'passed' | 'kept' | 'untouched'>;
}

export interface Reading {
  readonly consumer: LetterConsumer;
  readonly admin: LetterAdmin;
  readonly partitions: readonly OpenPartition[];
  readonly options: ReadOptions;
}

export const HEARTBEAT_MS = 1_000;

/** Takes the letters of batches, one after the other. */
export interface Taker {
  /** The group has met. To be called before anything of it is fetched. */
  joined(assigned: readonly number[]): void;
  take(payload: BatchPayload): Promise<void>;
}

export function createTaker(
  { consumer, admin, partitions, options }: Reading,
  progress: TopicProgress,
): Taker {
  const { topic, groupId, commits, isOver, take } = options;
  /** By partition, as committed when the group has met. */
  const known = new Map<number, DoneLetters>();
  let meetings = 0;

  async function doneIn(partition: number, isOurs: () => boolean): Promise<DoneLetters | undefined> {
    const before = known.get(partition);
    if (before !== undefined) return before;
    const committed = await askPatiently(() => committedIn(admin, groupId, topic, [partition]), isOver);
    const { offset, metadata } = committed?.get(partition) ?? {};
    if (offset === undefined || !isOurs()) return undefined;
    const done = new DoneLetters(BigInt(offset), metadata ?? '');
    known.set(partition, done);
    return done;
  }

  async function takeOne(letter: Omit<FetchedLetter, 'hasRoom'>, done: DoneLetters): Promise<boolean> {
    const { partition, message } = letter;
    const offset = BigInt(message.offset);
    if (done.has(offset)) {
      done.skip(offset);
      return true;
    }
    // It was kept before the group met again, or has come since the start.
    if (!progress.isDue(partition, offset)) {
      done.keep(offset);
      return true;
    }
    if (isOver() || !letter.isOurs()) return false;
    const state = await take({ ...letter, hasRoom: done.hasRoom });
    if (state === 'untouched') return false;
    progress.reach(partition, offset + 1n);
    if (state === 'kept') {
      done.keep(offset);
      return true;
    }
    done.pass(offset);
    const { position, metadata } = done;
    if (commits) await consumer.commitOffsets([{ topic, partition, offset: String(position), metadata }]);
    return true;
  }

  return {
    joined(assigned) {
      known.clear();
      meetings += 1;
      for (const { partition, oldest } of partitions) {
        // Else the client commits that nothing is committed, and what is done with is forgotten.
        if (oldest !== undefined && assigned.includes(partition))
          consumer.seek({ topic, partition, offset: String(oldest) });
      }
    },
    async take(payload) {
      const { batch } = payload;
      const { partition } = batch;
      const meeting = meetings;
      let isMember = true;
      const isOurs = (): boolean =>
        isMember && meeting === meetings && payload.isRunning() && !payload.isStale();
      const beats = setInterval(() => {
        // The group rebalances: kafkajs joins it again when the batch ends, and what is left comes again.
        payload.heartbeat().catch(() => {
          isMember = false;
        });
      }, HEARTBEAT_MS);
      try {
        const done = await doneIn(partition, isOurs);
        if (done === undefined) return;
        for (const fetched of batch.messages) {
          const message = complete(fetched);
          if (!(await takeOne({ partition, message, isOurs }, done))) return;
          payload.resolveOffset(message.offset);
        }
        progress.reach(partition, BigInt(batch.lastOffset()) + 1n);
        payload.resolveOffset(batch.lastOffset());
      } finally {
        clearInterval(beats);
      }
    },
  };
}
