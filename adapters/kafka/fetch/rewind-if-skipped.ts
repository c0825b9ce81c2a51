import type { EventSink } from '../../../src/adapter-kit.ts';
import { endsOf } from '../log/ask-admin.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import type { Fetch, LogConsumer } from '../log/log-client.ts';
import type { KafkaEvent } from '../log/events.ts';
import type { PartitionTracker, Skipped } from '../partition/partition-tracker.ts';

export interface RewindOptions {
  readonly client: Pick<LogConsumer, 'moveTo'>;
  readonly tracker: PartitionTracker;
  readonly admin?: LogAdmin | undefined;
  readonly events: EventSink<KafkaEvent>;
  /** False once the partition has left us, or its user has moved its position. */
  readonly isCurrent: () => boolean;
}

/** After so many moves that had no effect the client may go on. */
const MOST_TRIES = 10;

/**
 * Rewinds a client that would skip unread messages. True where it did, or where that is not known yet: then nothing of
 * the fetch may run.
 *
 * A client begins at the end of a partition, by default, when its position is not in the log any more, and when a move
 * of its position has failed; and where it begins by itself that can be behind the start that was found for it. kafkajs
 * can forget a seek of its user's that way: an older answer on where the group begins arrives after it. What is left
 * before that would be lost.
 */
export async function rewindIfSkipped(
  fetch: Fetch,
  { client, tracker, admin, events, isCurrent }: RewindOptions,
): Promise<boolean> {
  const skipped = tracker.skippedBefore(fetch);
  if (skipped === undefined || admin === undefined || skipped.tries >= MOST_TRIES) return false;
  tracker.countTry();
  const { topic, partition, from } = fetch;
  try {
    const to = await rewindTarget(admin, fetch, skipped);
    if (!isCurrent()) return true;
    if (to === undefined || to >= from) return false;
    client.moveTo({ topic, partition }, to);
    // When the fetch ends, kafkajs commits where it is: that must not be behind what it has skipped.
    fetch.advance(to);
  } catch (error) {
    events.emit({ type: 'client-error', verb: 'watch', error });
    if (skipped.isUncontested) fetch.advance(skipped.position);
    return true;
  }
  const offsets = { expected: String(skipped.position), found: String(from) };
  events.emit({ type: 'log-changed', topic, partition, reason: 'position-moved', ...offsets });
  return true;
}

/** Where to read on. Undefined where another member can have read what is before the fetch. */
async function rewindTarget(
  admin: LogAdmin,
  { topic, partition }: Fetch,
  skipped: Skipped,
): Promise<bigint | undefined> {
  const ends = await endsOf(admin, topic, [partition]);
  const oldest = BigInt(ends.find((of) => of.partition === partition)?.low ?? 0);
  if (skipped.position < oldest) return oldest;
  return skipped.isUncontested ? skipped.position : undefined;
}
