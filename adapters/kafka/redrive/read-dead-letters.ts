import { isError, onAbort } from '../../../src/adapter-kit.ts';
import { fetchOf } from '../client/kafkajs.ts';
import { askPatiently, committedIn, endsOf } from '../log/ask-admin.ts';
import { connected } from './kafka-client.ts';
import {
  createTaker,
  HEARTBEAT_MS,
  type PartitionPosition,
  type Reading,
  type ReadOptions,
} from './dead-letter-taker.ts';
import { TopicProgress } from './topic-progress.ts';

/** A member that was killed holds its partitions for so long. */
const SESSION_TIMEOUT_MS = 6_000;
const LONGEST_FETCH_MS = 500;
const LOOK_AGAIN_MS = 5_000;

/**
 * Reads a topic from where its group has come to, up to where it ends now, one dead letter after the other. Commits
 * behind each how far it has come, and which dead letters behind those that were kept are done with.
 *
 * True where dead letters are left that another member of the group has.
 */
export async function readDeadLetters(options: ReadOptions): Promise<boolean> {
  const { kafka, topic, groupId, isOver } = options;
  const partitions = (await positionsOf(options)).filter(({ position, end }) => position < end);
  if (partitions.length === 0 || isOver()) return false;
  const progress = new TopicProgress(new Map(partitions.map(({ partition, end }) => [partition, end])));
  const reader = kafka.consumer({
    groupId,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: LONGEST_FETCH_MS,
  });
  await connected(reader, async (consumer) => {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await readToEnd({ consumer, partitions, progress, options });
  });
  // Other members commit how far they have come.
  for (const { partition, position } of await positionsOf(options)) progress.reach(partition, position);
  return progress.isOpen;
}

/** Where the partitions begin and end now. None where the redrive is over. */
async function endsNow({ admin, topic, isOver }: ReadOptions) {
  return (await askPatiently(() => endsOf(admin, topic), isOver)) ?? [];
}

/** Of all partitions. */
async function positionsOf(options: ReadOptions): Promise<PartitionPosition[]> {
  const { admin, topic, groupId, isOver } = options;
  const all = (await endsNow(options)).map(({ partition }) => partition);
  const committed = await askPatiently(() => committedIn(admin, groupId, topic, all), isOver);
  // Asked after the positions, which other readers move: none of theirs is behind the end.
  return (await endsNow(options)).map(({ partition, low, high }) => {
    const position = BigInt(committed?.get(partition)?.offset ?? -1);
    const [oldest, end] = [BigInt(low), BigInt(high)];
    const isInside = oldest <= position && position <= end;
    return { partition, position: isInside ? position : oldest, end, committed: position };
  });
}

async function readToEnd(reading: Reading): Promise<void> {
  const { consumer, progress, options } = reading;
  const { topic, signal, isOver } = options;
  const taker = createTaker(reading);
  let isTaking = false;
  let looks: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => undefined;
  const ended = new Promise<void>((end, fail) => {
    if (signal !== undefined) unsubscribe = onAbort(signal, end);
    const endIfOver = (): void => {
      if (isOver() || progress.isReadToEnd()) end();
    };
    // Thrown on, an error would make kafkajs try again.
    const endAfter = (step: Promise<void>): Promise<void> => step.then(endIfOver).catch(fail);
    // What is deleted is not delivered.
    const passDeleted = async (): Promise<void> => {
      for (const { partition, low } of await endsNow(options)) progress.reach(partition, BigInt(low));
    };
    looks = setInterval(() => {
      if (!isTaking) void endAfter(passDeleted());
    }, LOOK_AGAIN_MS);
    consumer.on('consumer.group_join', ({ payload }) => {
      void endAfter(taker.joined(payload.memberAssignment[topic] ?? []));
    });
    // Records that are not delivered, such as those of an aborted transaction.
    consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) progress.reach(partition, BigInt(lastOffset) + 1n);
      endIfOver();
    });
    // Consumers of another client have the group, and with it what is left.
    const endOrFail = (error: Error): void => {
      if (isOtherClients(error)) end();
      else fail(error);
    };
    consumer.on('consumer.crash', ({ payload: { error, restart } }) => {
      if (!restart) endOrFail(error);
    });
    const run = consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      async eachBatch(payload) {
        isTaking = true;
        await endAfter(taker.take(fetchOf(payload)));
        isTaking = false;
      },
    });
    run.catch(endOrFail);
  });
  await ended.finally(() => {
    unsubscribe();
    clearInterval(looks);
  });
}

/** A group whose members assign partitions in a way that kafkajs does not know lets none of kafkajs in. */
function isOtherClients(error: unknown): boolean {
  return isError(error) && 'type' in error && error.type === 'INCONSISTENT_GROUP_PROTOCOL';
}
