import type { Clock, EventSink, Timer } from '../../../src/adapter-kit.ts';
import type { Assignments } from './assignments.ts';
import type { KafkaEvent } from '../log/events.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import type { LogConsumer } from '../log/log-client.ts';
import { mendResets } from './mend-resets.ts';
import type { PartitionTracker } from './partition-tracker.ts';

const LOOK_EVERY_MS = 60_000;

export interface WatchOptions {
  readonly clock: Clock;
  readonly admin: LogAdmin;
  readonly groupId: string;
  readonly client: () => Pick<LogConsumer, 'commit' | 'moveTo'>;
  readonly assignments: Assignments;
  readonly events: EventSink<KafkaEvent>;
}

/**
 * Looks from time to time whether a partition ends before where it ended, since its topic was made again, and whether
 * its position is gone, since retention has overtaken it.
 */
export function watchLogs({ clock, admin, groupId, client, assignments, events }: WatchOptions) {
  let timer: Timer | undefined;

  async function look(): Promise<void> {
    const generation = assignments.generation;
    // As they were before the request: a fetch can see a later end while it runs.
    const known = assignments.trackers().map((tracker) => ({ tracker, before: tracker.lastEnd }));
    for (const topic of new Set(known.map(({ tracker }) => tracker.topic))) {
      try {
        const answer = await admin.fetchTopicOffsets(topic);
        const ends = new Map(answer.map((end) => [end.partition, end.high]));
        const own = known.filter((one) => one.tracker.topic === topic);
        for (const { tracker, before } of own) {
          const end = BigInt(ends.get(tracker.partition) ?? before ?? 0);
          if (before !== undefined && end < before) emitShortened(tracker, before, end, events);
        }
        const trackers = own.map(({ tracker }) => tracker);
        await mendResets(topic, trackers, answer, { client: client(), generation, admin, groupId });
      } catch (error) {
        events.emit({ type: 'client-error', verb: 'watch', error });
      }
    }
  }

  return {
    /** Looks now. */
    look,
    begin(): void {
      if (timer !== undefined) return;
      timer = clock.setRepeating(() => void look(), LOOK_EVERY_MS);
      timer.unref();
    },
    end(): void {
      clock.clearTimer(timer);
      timer = undefined;
    },
  };
}

/** Emits that a partition ends before where it ended. */
export function emitShortened(
  tracker: PartitionTracker,
  before: bigint,
  end: bigint,
  events: EventSink<KafkaEvent>,
): void {
  tracker.shortened(end);
  const { topic, partition } = tracker;
  const offsets = { expected: String(before), found: String(end) };
  events.emit({ type: 'log-changed', topic, partition, reason: 'end-went-back', ...offsets });
}
