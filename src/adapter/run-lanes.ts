import { fewAtOnce } from '../lib/few-at-once.ts';
import type { Turn } from './deliver-in-turn.ts';
import { type LanePlace, runPipelined } from './lane-place.ts';

export interface RunLanes<Item> {
  readonly concurrency: number;
  readonly hasTime: () => boolean;
  /** Handles an item, in its turn. Resolves with whether the next of its lane may run. Must not throw. */
  readonly run: (item: Item, turn: Turn) => Promise<boolean>;
}

/** Runs lanes side by side, and the items of one lane one after the other until one is kept. */
export async function runLanes<Item>(
  lanes: readonly (readonly Item[])[],
  { concurrency, hasTime, run }: RunLanes<Item>,
): Promise<void> {
  const runAt = (item: Item, place: LanePlace) => run(item, place.turn(hasTime));
  await fewAtOnce(lanes, concurrency, (lane) => runPipelined(lane, runAt, () => !hasTime()));
}

/** One lane per name, in the order of their first items. An item without a name has a lane of its own. */
export function lanesBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
): readonly Item[][] {
  const lanes: Item[][] = [];
  const named = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const known = name === undefined ? undefined : named.get(name);
    if (known !== undefined) {
      known.push(item);
      continue;
    }
    const lane = [item];
    lanes.push(lane);
    if (name !== undefined) named.set(name, lane);
  }
  return lanes;
}
