import type { Clock, EventSink, Timer } from '../../../src/adapter-kit.ts';
import type { Assignments } from './assignments.ts';
import type { KafkaEvent } from '../events.ts';
import type { LogAdmin } from '../client/log-admin.ts';
import type { PartitionTracker } from './partition-tracker.ts';

const LOOK_EVERY_MS = 60_000;

export interface LogWatch {
  begin(): void;
  end(): void;
}

/** Looks from time to time whether a partition ends before where it ended: its topic was made again. */
export function watchLogs(
  admin: LogAdmin,
  assignments: Assignments,
  events: EventSink<KafkaEvent>,
  clock: Clock,
): LogWatch {
  let timer: Timer | undefined;

  async function look(): Promise<void> {
    // As they were before the broker is asked: a fetch can see a later end meanwhile.
    const known = assignments.trackers().map((tracker) => ({ tracker, before: tracker.lastEnd }));
    for (const topic of new Set(known.map(({ tracker }) => tracker.topic))) {
      try {
        const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end.high]));
        for (const { tracker, before } of known.filter((one) => one.tracker.topic === topic)) {
          const end = BigInt(ends.get(tracker.partition) ?? before ?? 0);
          if (before !== undefined && end < before) tellShortened(tracker, before, end, events);
        }
      } catch (error) {
        events.emit({ type: 'client-error', verb: 'watch', error });
      }
    }
  }

  return {
    begin() {
      if (timer !== undefined) return;
      timer = clock.setRepeating(() => void look(), LOOK_EVERY_MS);
      timer.unref();
    },
    end() {
      clock.clearTimer(timer);
      timer = undefined;
    },
  };
}

/** Tells that a partition ends before where it ended. */
export function tellShortened(
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
