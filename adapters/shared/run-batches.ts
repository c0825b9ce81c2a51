import { type AnyBatchHandler, Batch, fewAtOnce } from '../../src/adapter-kit.ts';
import { seatedTurn, type Turn } from './deliver-in-turn.ts';

type Lane<Item> = readonly Item[];

interface RunBatches<Item> {
  readonly handler: AnyBatchHandler;
  readonly size: number;
  /** Whether a batch may have items of many lanes. */
  readonly mixesLanes: boolean;
  /** Batches that run at once. */
  readonly concurrency: number;
  readonly hasTime: () => boolean;
  /** Handles an item, in its turn. Resolves with whether the next of its lane may run. Must not throw. */
  readonly run: (item: Item, turn: Turn) => Promise<boolean>;
}

/** Runs lanes in batches. Those of one lane run one after the other, until an item is kept. */
export async function runBatches<Item>(
  lanes: readonly Lane<Item>[],
  options: RunBatches<Item>,
): Promise<void> {
  const { size, mixesLanes, concurrency, hasTime } = options;
  const groups = mixesLanes ? fitted(lanes, size) : lanes.map((lane) => [lane]);
  await fewAtOnce(groups, concurrency, async (group) => {
    const members = group.flatMap((lane) => lane.map((item) => ({ item, lane })));
    // More than one batch has a group of one lane.
    for (let start = 0; start < members.length && hasTime(); start += size) {
      if (!(await runBatch(members.slice(start, start + size), options))) return;
    }
  });
}

/** Groups of lanes that fit into one batch. A longer lane is a group of its own. */
function fitted<Item>(lanes: readonly Lane<Item>[], size: number): Lane<Item>[][] {
  const groups: Lane<Item>[][] = [];
  let group: Lane<Item>[] = [];
  let room = 0;
  for (const lane of lanes) {
    if (lane.length > room) {
      group = [];
      groups.push(group);
      room = size;
    }
    group.push(lane);
    room -= lane.length;
  }
  return groups;
}

/** Whether the lanes of all members may go on. */
async function runBatch<Item>(
  members: readonly { readonly item: Item; readonly lane: Lane<Item> }[],
  { handler, hasTime, run }: RunBatches<Item>,
): Promise<boolean> {
  const batch = new Batch(handler);
  const handling = members.map(({ item, lane }) =>
    batch.seat(lane, (seat) => run(item, seatedTurn(seat, hasTime))),
  );
  const [, ...allGoOn] = await Promise.all([batch.run(), ...handling]);
  return !allGoOn.includes(false);
}
