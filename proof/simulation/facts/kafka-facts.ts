import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';

/** Partitions by topic. */
export type Assigned = Readonly<Record<string, readonly number[]>>;

/** What kafkajs commits when its position is not in the log, and it begins at the start. */
export const EARLIEST = -2;

interface OfPartition {
  readonly topic: string;
  readonly partition: number;
}

/** What happens in the logs of a broker and to its group. */
export type KafkaFact =
  | (OfPartition & {
      readonly type: 'appended';
      readonly offset: number;
      readonly message: PlannedMessage;
      /** Messages of a partition with the same one are handled in order, where that is asked for. */
      readonly lane: string | undefined;
      /** Who has made the copy of a message that waits for its next attempt. Undefined for a message itself. */
      readonly copiedBy: Life | undefined;
    })
  /** Retention has deleted what is before an offset. */
  | (OfPartition & { readonly type: 'log-begins'; readonly offset: number })
  | (OfPartition & { readonly type: 'fetched'; readonly life: Life; readonly from: number })
  /** Negative where what kafkajs begins with by default counts from now on. */
  | (OfPartition & { readonly type: 'position-committed'; readonly life: Life; readonly position: number })
  /** From now on a consumer may have forgotten what it knew of its partitions. */
  | {
      readonly type: 'joined';
      readonly life: Life;
      /** Undefined where it has the partitions that it had. */
      readonly assigned: Assigned | undefined;
    }
  | { readonly type: 'letter-asked'; readonly life: Life; readonly message: PlannedMessage }
  | {
      readonly type: 'letter-answered';
      readonly life: Life;
      readonly message: PlannedMessage;
      readonly isSent: boolean;
    };
