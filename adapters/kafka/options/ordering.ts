import { lanesBy } from '../../shared/lanes.ts';

/**
 * Which messages of a partition wait for one another: all of them; those with the same message key; none.
 *
 * Messages without a key have no order among themselves under `'key'`.
 */
export type Ordering = 'partition' | 'key' | 'unordered';

interface Keyed {
  readonly key: Buffer | null;
}

/** Splits a batch into lanes: within one, messages run one after the other; lanes run side by side. */
export function toLanes<Item extends Keyed>(items: readonly Item[], ordering: Ordering): readonly Item[][] {
  switch (ordering) {
    case 'partition':
      return [[...items]];
    case 'key':
      // Latin-1 gives every byte a character of its own: no two keys make one string.
      return lanesBy(items, ({ key }) => key?.toString('latin1'));
    case 'unordered':
      return items.map((item) => [item]);
  }
}
