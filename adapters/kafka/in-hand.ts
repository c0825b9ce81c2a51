/**
 * What runs in this process, by place.
 *
 * A handler can outlive its batch: the group rebalances, or the consumer stops waiting for it. When the message is
 * fetched again meanwhile, its second delivery waits for the first, instead of asking the store about ourselves.
 */
export interface InHand<T> {
  /** What runs at a place already, or else what `start` starts. */
  join(place: string, start: () => Promise<T>): Promise<T>;
}

export function createInHand<T>(): InHand<T> {
  const running = new Map<string, Promise<T>>();
  return {
    join(place, start) {
      const known = running.get(place);
      if (known !== undefined) return known;
      const work = start().finally(() => running.delete(place));
      running.set(place, work);
      return work;
    },
  };
}
