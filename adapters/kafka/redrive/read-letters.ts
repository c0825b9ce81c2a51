import { onAbort } from '../../../src/adapter-kit.ts';
import { complete } from '../client/kafkajs.ts';
import { askPatiently, committedIn, endsOf } from '../client/ask-admin.ts';
import type { BatchPayload } from '../client/kafkajs-types.ts';
import type { KafkaMessage } from '../client/log-client.ts';
import type { KafkaClients, LetterConsumer } from './kafka-client.ts';
import { TopicProgress } from './topic-progress.ts';

/** A letter that was fetched. */
export interface FetchedLetter {
  readonly partition: number;
  readonly message: KafkaMessage;
  /** False once another member of the group may have its partition. */
  readonly isOurs: () => boolean;
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
  /** `passed`: done with. `kept`: the next read begins with it. `untouched`: it was not looked at. */
  readonly take: (letter: FetchedLetter) => Promise<'passed' | 'kept' | 'untouched'>;
}

/** A member that was killed holds its partitions for so long. */
const SESSION_TIMEOUT_MS = 6_000;
const HEARTBEAT_MS = 1_000;
const LONGEST_FETCH_MS = 500;

/**
 * Reads a topic from where its group has come to, up to where it ends now, one letter after the other. Commits behind
 * each, up to the first that is kept.
 */
export async function readLetters(options: ReadOptions): Promise<void> {
  const { kafka, topic, groupId, isOver } = options;
  const ends = await openEnds(options);
  if (ends.size === 0 || isOver()) return;
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: LONGEST_FETCH_MS,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await readToEnd(consumer, new TopicProgress(ends), options);
  } finally {
    await consumer.disconnect();
  }
}

/** Where the partitions end that have letters which the group has not passed. */
async function openEnds({ kafka, topic, groupId, isOver }: ReadOptions): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const ends = (await askPatiently(() => endsOf(admin, topic), isOver)) ?? [];
    const partitions = ends.map(({ partition }) => partition);
    const passed = await askPatiently(() => committedIn(admin, groupId, topic, partitions), isOver);
    const open = ends.filter(({ partition, low, high }) => {
      const position = BigInt(passed?.get(partition) ?? -1);
      return (position > BigInt(low) ? position : BigInt(low)) < BigInt(high);
    });
    return new Map(open.map(({ partition, high }) => [partition, BigInt(high)]));
  } finally {
    await admin.disconnect();
  }
}

function readToEnd(consumer: LetterConsumer, progress: TopicProgress, options: ReadOptions): Promise<void> {
  const { topic, signal, isOver } = options;
  return new Promise<void>((resolve, reject) => {
    let unsubscribe = (): void => undefined;
    const end = (): void => {
      unsubscribe();
      resolve();
    };
    const fail = (error: unknown): void => {
      unsubscribe();
      reject(error instanceof Error ? error : new Error('the topic could not be read', { cause: error }));
    };
    const endIfOver = (): void => {
      if (isOver() || progress.isReadToEnd()) end();
    };
    if (signal !== undefined) unsubscribe = onAbort(signal, end);
    consumer.on('consumer.group_join', ({ payload }) => {
      progress.assign(payload.memberAssignment[topic] ?? []);
      endIfOver();
    });
    // Records that are not delivered, such as those of an aborted transaction.
    consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) progress.reach(partition, BigInt(lastOffset) + 1n);
      endIfOver();
    });
    consumer.on('consumer.crash', ({ payload: { error, restart } }) => {
      if (!restart) fail(error);
    });
    const takeBatch = batchTaker(consumer, progress, options);
    const eachBatch = async (payload: BatchPayload): Promise<void> => {
      try {
        await takeBatch(payload);
        endIfOver();
      } catch (error) {
        // Thrown on, it would make kafkajs try again.
        fail(error);
      }
    };
    consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch }).catch(fail);
  });
}

function batchTaker(
  consumer: LetterConsumer,
  progress: TopicProgress,
  { topic, commits, isOver, take }: ReadOptions,
): (payload: BatchPayload) => Promise<void> {
  /** Partitions with a letter that was kept: what is behind it is not committed. */
  const held = new Set<number>();

  return async (payload) => {
    const { batch } = payload;
    const { partition } = batch;
    let isMember = true;
    const isOurs = (): boolean => isMember && payload.isRunning() && !payload.isStale();
    const beats = setInterval(() => {
      // The group rebalances: kafkajs joins it again when the batch ends, and what is left comes again.
      payload.heartbeat().catch(() => {
        isMember = false;
      });
    }, HEARTBEAT_MS);
    try {
      for (const fetched of batch.messages) {
        const message = complete(fetched);
        const position = BigInt(message.offset) + 1n;
        if (!progress.isDue(partition, BigInt(message.offset))) continue;
        if (isOver() || !isOurs()) return;
        const state = await take({ partition, message, isOurs });
        if (state === 'untouched') return;
        if (state === 'kept') held.add(partition);
        progress.reach(partition, position);
        payload.resolveOffset(message.offset);
        if (commits && !held.has(partition)) {
          await consumer.commitOffsets([{ topic, partition, offset: String(position) }]);
        }
      }
      progress.reach(partition, BigInt(batch.lastOffset()) + 1n);
      payload.resolveOffset(batch.lastOffset());
    } finally {
      clearInterval(beats);
    }
  };
}
