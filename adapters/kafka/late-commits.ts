import type { EventSink } from '../../src/adapter-kit.ts';
import type { Generation } from './assignments.ts';
import type { KafkaEvent } from './events.ts';
import type { Fetch } from './log-client.ts';
import type { PartitionTracker } from './partition-tracker.ts';

const AGAIN_AFTER_MS = 1_000;

/**
 * Commits at the end of a fetch, and again where that fails, as it does while the group's coordinator restarts.
 *
 * Without that the next message would have to come first, which on a quiet partition can be longer than records are
 * kept.
 */
export async function commitLate(
  tracker: PartitionTracker,
  fetch: Fetch,
  generation: Generation,
  events: EventSink<KafkaEvent>,
): Promise<void> {
  if (generation.over.aborted || tracker.isOver || !tracker.isUncommitted) return;
  try {
    await tracker.commit(fetch);
  } catch (error) {
    events.emit({ type: 'client-error', verb: 'commit', error });
    setTimeout(() => {
      if (fetch.isRunning()) void commitLate(tracker, fetch, generation, events);
    }, AGAIN_AFTER_MS).unref();
  }
}
