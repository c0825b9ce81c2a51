import { askPatiently, committedIn } from '../log/ask-admin.ts';
import type { Fetch, KafkaMessage } from '../log/log-client.ts';
import { DoneLetters } from './done-letters.ts';
import type { KafkaClients, LetterAdmin, LetterConsumer } from './kafka-client.ts';
import { TopicProgress } from './topic-progress.ts';

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

/** A partition that has letters which the group has not passed. */
export interface OpenPartition {
  readonly partition: number;
  readonly end: bigint;
  /** Where it begins, if what the group has committed is not in it any more. */
  readonly oldest: bigint | undefined;
}

export interface Reading {
  readonly consumer: LetterConsumer;
  readonly admin: LetterAdmin;
  readonly partitions: readonly OpenPartition[];
  readonly options: ReadOptions;
}

export const HEARTBEAT_MS = 1_000;

export type Taker = ReturnType<typeof createTaker>;

/** Takes the letters of fetches, one after the other. */
export function createTaker({ consumer, admin, partitions, options }: Reading) {
  const { topic, groupId, commits, isOver, take } = options;
  const progress = new TopicProgress(new Map(partitions.map(({ partition, end }) => [partition, end])));
  /** By partition, as committed when the group met. Another promise each time that it meets. */
  let known: Promise<ReadonlyMap<number, DoneLetters>> = Promise.resolve(new Map());

  async function look(assigned: readonly number[]): Promise<ReadonlyMap<number, DoneLetters>> {
    const committed = await askPatiently(() => committedIn(admin, groupId, topic, assigned), isOver);
    const done = new Map<number, DoneLetters>();
    for (const [partition, { offset, metadata }] of committed ?? []) {
      // Where another reader has come to the end since the start, nothing is fetched that would tell.
      progress.reach(partition, BigInt(offset));
      done.set(partition, new DoneLetters(BigInt(offset), metadata ?? ''));
    }
    return done;
  }

  /** False where the letter was not touched. */
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
    progress,
    /** The group has met. Call it before the first fetch of that group. */
    async joined(assigned: readonly number[]): Promise<void> {
      progress.assign(assigned);
      known = look(assigned);
      for (const { partition, oldest } of partitions) {
        // Else the client commits that nothing is committed, and what is done with is forgotten.
        if (oldest !== undefined && assigned.includes(partition))
          consumer.seek({ topic, partition, offset: String(oldest) });
      }
      await known;
    },
    async take(fetch: Fetch): Promise<void> {
      const { partition } = fetch;
      const meeting = known;
      let isMember = true;
      const isOurs = (): boolean => isMember && meeting === known && fetch.isRunning() && !fetch.isStale();
      const beats = setInterval(() => {
        // The group rebalances: kafkajs joins it again when the fetch is done, and what is left comes again.
        fetch.heartbeat().catch(() => {
          isMember = false;
        });
      }, HEARTBEAT_MS);
      try {
        const done = (await meeting).get(partition);
        if (done === undefined || !isOurs()) return;
        for (const message of fetch.messages) {
          if (!(await takeOne({ partition, message, isOurs }, done))) return;
          fetch.advance(BigInt(message.offset) + 1n);
        }
        progress.reach(partition, fetch.to);
        fetch.advance(fetch.to);
      } finally {
        clearInterval(beats);
      }
    },
  };
}
