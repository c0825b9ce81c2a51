import { Batch, fewAtOnce, type Seat } from '../../../src/adapter-kit.ts';
import type { Batching } from '../batch-lanes.ts';

interface RunBatches<Item> extends Omit<Batching, 'waitMs'> {
  /** Batches that run at once. */
  readonly mostAtOnce: number;
  /** The FIFO group of one, where its order is to be kept. */
  readonly groupOf: (item: Item) => string | undefined;
  /** Handles an item in its seat. Resolves with whether the next of its group may run. */
  readonly run: (item: Item, place: { readonly seat: Seat }) => Promise<boolean>;
}

/** Runs items in batches, in their order. What is behind a kept one of its group does not run. */
export async function runBatches<Item>(items: readonly Item[], options: RunBatches<Item>): Promise<void> {
  const { size, handler, mostAtOnce, groupOf, run } = options;
  const endedGroups = new Set<string>();

  async function runOne(batch: Batch, item: Item): Promise<void> {
    const group = groupOf(item);
    if (group !== undefined && endedGroups.has(group)) return;
    const seat = batch.take(group);
    let goesOn = false;
    try {
      goesOn = await run(item, { seat });
    } finally {
      seat.leave(goesOn);
    }
    if (!goesOn && group !== undefined) endedGroups.add(group);
  }

  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
  await fewAtOnce(batches, mostAtOnce, async (members) => {
    const batch = new Batch(handler);
    const runs = members.map((item) => runOne(batch, item));
    await batch.run();
    await Promise.all(runs);
  });
}
