import { isError, onAbort } from '../../../src/adapter-kit.ts';
import type { BatchPayload } from '../log/kafkajs-types.ts';
import { askPatiently, committedIn } from '../log/ask-admin.ts';
import type { LetterAdmin } from './kafka-client.ts';
import { createTaker, HEARTBEAT_MS, type Reading, type ReadOptions } from './letter-taker.ts';
import { type OpenPartition, openPartitions } from './open-partitions.ts';
import { TopicProgress } from './topic-progress.ts';

/** A member that was killed holds its partitions for so long. */
const SESSION_TIMEOUT_MS = 6_000;
const LONGEST_FETCH_MS = 500;

/**
 * Reads a topic from where its group has come to, up to where it ends now, one letter after the other. Commits behind
 * each how far it has come, and which letters behind those that were kept are done with.
 */
export async function readLetters(options: ReadOptions): Promise<void> {
  const admin = options.kafka.admin();
  await admin.connect();
  try {
    const partitions = await openPartitions(admin, options);
    if (partitions.length > 0 && !options.isOver()) await readPartitions(admin, partitions, options);
  } finally {
    await admin.disconnect();
  }
}

async function readPartitions(
  admin: LetterAdmin,
  partitions: readonly OpenPartition[],
  options: ReadOptions,
): Promise<void> {
  const { kafka, topic, groupId } = options;
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: LONGEST_FETCH_MS,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await readToEnd({ consumer, admin, partitions, options });
  } finally {
    await consumer.disconnect();
  }
}

function readToEnd(reading: Reading): Promise<void> {
  const { consumer, admin, partitions, options } = reading;
  const { topic, groupId, signal, isOver } = options;
  const progress = new TopicProgress(new Map(partitions.map(({ partition, end }) => [partition, end])));
  return new Promise<void>((resolve, reject) => {
    let unsubscribe = (): void => undefined;
    const end = (): void => {
      unsubscribe();
      resolve();
    };
    const fail = (error: unknown): void => {
      unsubscribe();
      reject(isError(error) ? error : new Error('the topic could not be read', { cause: error }));
    };
    const endIfOver = (): void => {
      if (isOver() || progress.isReadToEnd()) end();
    };
    if (signal !== undefined) unsubscribe = onAbort(signal, end);
    const taker = createTaker(reading, progress);
    // Where another reader has come to the end since we looked, nothing is fetched that would tell.
    const reachCommitted = async (assigned: readonly number[]): Promise<void> => {
      const committed = await askPatiently(() => committedIn(admin, groupId, topic, assigned), isOver);
      for (const [partition, { offset }] of committed ?? []) progress.reach(partition, BigInt(offset));
      endIfOver();
    };
    consumer.on('consumer.group_join', ({ payload }) => {
      const assigned = payload.memberAssignment[topic] ?? [];
      taker.joined(assigned);
      progress.assign(assigned);
      endIfOver();
      reachCommitted(assigned).catch(fail);
    });
    // Records that are not delivered, such as those of an aborted transaction.
    consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) progress.reach(partition, BigInt(lastOffset) + 1n);
      endIfOver();
    });
    consumer.on('consumer.crash', ({ payload: { error, restart } }) => {
      if (!restart) fail(error);
    });
    const eachBatch = async (payload: BatchPayload): Promise<void> => {
      try {
        await taker.take(payload);
        endIfOver();
      } catch (error) {
        // Thrown on, it would make kafkajs try again.
        fail(error);
      }
    };
    consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch }).catch(fail);
  });
}
