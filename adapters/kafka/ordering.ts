/**
 * Which messages of a partition wait for one another: all of them; those with the same message key; none.
 *
 * Messages without a key have no order among themselves under `'key'`.
 */
export type Ordering = 'partition' | 'key' | 'unordered';

interface Keyed {
  readonly message: { readonly key: Buffer | null };
}

/** Splits a batch into lanes: within one, messages run one after the other; lanes run side by side. */
export function toLanes<Item extends Keyed>(items: readonly Item[], ordering: Ordering): Item[][] {
  switch (ordering) {
    case 'partition':
      return [[...items]];
    case 'key':
      return lanesByKey(items);
    case 'unordered':
      return items.map((item) => [item]);
  }
}

function lanesByKey<Item extends Keyed>(items: readonly Item[]): Item[][] {
  const lanes: Item[][] = [];
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    // Latin-1 gives every byte a character of its own: no two keys make one string.
    const key = item.message.key?.toString('latin1');
    const known = key === undefined ? undefined : byKey.get(key);
    if (known !== undefined) {
      known.push(item);
      continue;
    }
    const lane = [item];
    lanes.push(lane);
    if (key !== undefined) byKey.set(key, lane);
  }
  return lanes;
}
