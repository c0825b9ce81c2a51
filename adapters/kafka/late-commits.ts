import type { EventSink } from '../../src/adapter-kit.ts';
import type { KafkaEvent } from './events.ts';
import type { BatchPayload } from './kafka-client.ts';

const LOOK_AFTER_MS = 1_000;

/**
 * Commits what the client could not.
 *
 * It commits at the end of a batch. When that fails, as it does while the group's coordinator restarts, it does not try
 * again before the next message comes, which on a quiet partition can be longer than records are kept.
 */
export interface LateCommits {
  /** Looks, until nothing is left, whether all that is settled is committed. */
  watch(payload: BatchPayload): void;
}

export function createLateCommits(events: EventSink<KafkaEvent>): LateCommits {
  let timer: NodeJS.Timeout | undefined;

  function watch(payload: BatchPayload): void {
    timer ??= setTimeout(() => {
      void look(payload);
    }, LOOK_AFTER_MS).unref();
  }

  async function look(payload: BatchPayload): Promise<void> {
    timer = undefined;
    try {
      if (!payload.isRunning() || payload.uncommittedOffsets().topics.length === 0) return;
      await payload.commitOffsetsIfNecessary();
    } catch (error) {
      events.emit({ type: 'client-error', verb: 'commit', error });
    }
    watch(payload);
  }

  return { watch };
}
