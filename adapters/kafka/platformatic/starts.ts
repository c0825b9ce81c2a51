import type { Place } from '../log/log-client.ts';
import type { NativeConsumer, Offsets } from './native.ts';

export const OLDEST = -2n;
export const END = -1n;

interface HasPlace {
  readonly place: Place;
}

/** Where partitions have their oldest message, or their end. */
export async function startsOf<Item extends HasPlace>(
  consumer: NativeConsumer,
  items: readonly Item[],
  timestamp: typeof OLDEST | typeof END,
): Promise<[Item, bigint][]> {
  if (items.length === 0) return [];
  const partitions = partitionsOf(items);
  const known = await consumer.listOffsets({ topics: Object.keys(partitions), partitions, timestamp });
  return items.map((item) => {
    const position = positionIn(known, item);
    if (position !== undefined) return [item, position];
    throw new Error(
      `the broker does not return an offset for partition ${item.place.partition} of ${item.place.topic}`,
    );
  });
}

/** What the group has committed. Undefined where it has not. */
export async function committedOf<Item extends HasPlace>(
  consumer: NativeConsumer,
  items: readonly Item[],
): Promise<[Item, bigint | undefined][]> {
  const topics = Object.entries(partitionsOf(items)).map(([topic, partitions]) => ({ topic, partitions }));
  const known = await consumer.listCommittedOffsets({ topics });
  return items.map((item) => [item, positionIn(known, item)]);
}

function partitionsOf(items: readonly HasPlace[]): Record<string, number[]> {
  const partitions: Record<string, number[]> = {};
  for (const { place } of items) (partitions[place.topic] ??= []).push(place.partition);
  return partitions;
}

function positionIn(known: Offsets, { place }: HasPlace): bigint | undefined {
  const position = known.get(place.topic)?.[place.partition] ?? -1n;
  return position < 0n ? undefined : position;
}
