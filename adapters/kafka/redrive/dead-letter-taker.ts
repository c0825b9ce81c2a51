import { askPatiently, committedIn } from '../log/ask-admin.ts';
import type { Fetch, KafkaMessage } from '../log/log-client.ts';
import { DoneDeadLetters } from './done-dead-letters.ts';
import type { KafkaClients, DeadLetterAdmin, DeadLetterConsumer } from './kafka-client.ts';
import type { TopicProgress } from './topic-progress.ts';

/** A dead letter that was fetched. */
export interface FetchedDeadLetter {
  readonly partition: number;
  readonly message: KafkaMessage;
  /** False once another member of the group may have its partition. */
  readonly isOurs: () => boolean;
  /** Whether it can be remembered that it is done with. */
  readonly hasRoom: boolean;
}

export interface ReadOptions {
  readonly kafka: Pick<KafkaClients, 'consumer'>;
  readonly admin: DeadLetterAdmin;
  readonly topic: string;
  readonly groupId: string;
  /** Whether positions are committed. */
  readonly commits: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Whether no further dead letter is to be taken. */
  readonly isOver: () => boolean;
  /** `passed`: done with. `kept`: the next read takes it again. `untouched`: it was not looked at. */
  readonly take: (deadLetter: FetchedDeadLetter) => Promise<'passed' | 'kept' | 'untouched'>;
}

/** How far the group has come in a partition. */
export interface PartitionPosition {
  readonly partition: number;
  /** Of the next dead letter. */
  readonly position: bigint;
  readonly end: bigint;
  /** What the group has committed at the start: negative where nothing is. It may not be in the partition any more. */
  readonly committed: bigint;
}

export interface Reading {
  readonly consumer: DeadLetterConsumer;
  /** Those that have dead letters which the group has not passed. */
  readonly partitions: readonly PartitionPosition[];
  readonly progress: TopicProgress;
  readonly options: ReadOptions;
}

export const HEARTBEAT_MS = 1_000;

export type Taker = ReturnType<typeof createTaker>;

/** Takes the dead letters of fetches, one after the other. */
export function createTaker({ consumer, partitions, progress, options }: Reading) {
  const { admin, topic, groupId, commits, isOver, take } = options;
  const starts = new Map(partitions.map((start) => [start.partition, start]));
  /** By partition, as committed at the last rebalance. Another promise after each one. */
  let known: Promise<ReadonlyMap<number, DoneDeadLetters>> = Promise.resolve(new Map());

  async function look(assigned: readonly number[]): Promise<ReadonlyMap<number, DoneDeadLetters>> {
    const committed = await askPatiently(() => committedIn(admin, groupId, topic, assigned), isOver);
    const done = new Map<number, DoneDeadLetters>();
    for (const [partition, { offset, metadata }] of committed ?? []) {
      const position = BigInt(offset);
      const { committed: first = -1n, end = position } = starts.get(partition) ?? {};
      if (position === first && first > end) {
        done.set(partition, new DoneDeadLetters(-1n, ''));
        continue;
      }
      // Where another reader has come to the end since the start, nothing more is fetched.
      progress.reach(partition, position);
      done.set(partition, new DoneDeadLetters(position, metadata ?? ''));
    }
    return done;
  }

  /** False where the dead letter was not touched. */
  async function takeOne(
    deadLetter: Omit<FetchedDeadLetter, 'hasRoom'>,
    done: DoneDeadLetters,
  ): Promise<boolean> {
    const { partition, message } = deadLetter;
    const offset = BigInt(message.offset);
    if (done.has(offset)) {
      done.skip(offset);
      return true;
    }
    // It was kept before a rebalance, or has come since the start.
    if (!progress.isDue(partition, offset)) {
      done.keep(offset);
      return true;
    }
    if (isOver() || !deadLetter.isOurs()) return false;
    const state = await take({ ...deadLetter, hasRoom: done.hasRoom });
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
    /** The group has rebalanced. Call it before the first fetch after that. */
    async joined(assigned: readonly number[]): Promise<void> {
      progress.assign(assigned);
      known = look(assigned);
      for (const { partition, position, committed } of partitions) {
        // Else the client commits that nothing is committed, and what is done with is forgotten.
        if (committed >= 0n && committed !== position && assigned.includes(partition))
          consumer.seek({ topic, partition, offset: String(position) });
      }
      await known;
    },
    async take(fetch: Fetch): Promise<void> {
      const { partition } = fetch;
      const generation = known;
      let isMember = true;
      const isOurs = (): boolean => isMember && generation === known && fetch.isRunning() && !fetch.isStale();
      const beats = setInterval(() => {
        // The group rebalances: kafkajs joins it again when the fetch is done, and what is left comes again.
        fetch.heartbeat().catch(() => {
          isMember = false;
        });
      }, HEARTBEAT_MS);
      try {
        const done = (await generation).get(partition);
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
