import type { BatchPayload, FetchedBatch } from '../../../../adapters/kafka/log/kafkajs-types.ts';
import type { FoundSlice } from '../broker/broker.ts';
import type { GroupMember } from './member.ts';
import type { Positions } from './offsets.ts';

/** What hands a batch over. */
interface Handing {
  readonly isRunning: boolean;
  heartbeat(): Promise<void>;
}

/** Its types do not have it. */
type Batch = FetchedBatch & { readonly fetchedOffset: string };

/** What kafkajs calls `eachBatch` with. */
export function payloadOf(slice: FoundSlice, runner: Handing, member: GroupMember): BatchPayload {
  const { topic, partition, records, from, to, end } = slice;
  const last = records.at(-1)?.offset;
  const batch: Batch = {
    topic,
    partition,
    messages: records.map(({ offset, ...record }) => ({ ...record, attributes: 0, offset: String(offset) })),
    highWatermark: String(end),
    fetchedOffset: String(from),
    lastOffset: () => String(to - 1),
  };
  return {
    batch,
    resolveOffset(offset) {
      // Behind the last message there can be a marker, which no handler sees.
      const resolved = Number(offset) === last ? to - 1 : Number(offset);
      member.offsets.resolve(slice, resolved + 1);
    },
    heartbeat: () => runner.heartbeat(),
    commitOffsetsIfNecessary: (offsets) => member.offsets.commit(positionsOf(offsets)),
    isRunning: () => runner.isRunning,
    isStale: () => member.hasSeek(slice),
  };
}

function positionsOf({ topics }: Parameters<BatchPayload['commitOffsetsIfNecessary']>[0]): Positions {
  return new Map(
    topics.map(({ topic, partitions }) => [
      topic,
      new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)])),
    ]),
  );
}
