import type { Rates, Runner } from '../interleave.ts';
import type { Contender } from './contender.ts';
import { measureBoth, measureFresh } from './measure.ts';

/** Something that can be measured with about a number of messages. */
export interface Measured {
  readonly name: string;
  /** Fewer in flight it cannot have. */
  readonly smallestInFlight?: number;
  /** Its first rate decides how many messages it gets. */
  readonly measure: (messages: number, inFlight: number) => Promise<Rates>;
}

export function measuredBoth(contender: Contender): Measured {
  return {
    name: contender.name,
    measure: (messages, inFlight) => measureBoth(contender, { messages, inFlight }),
  };
}

export function measuredFresh(contender: Contender): Measured {
  return {
    name: contender.name,
    measure: (messages, inFlight) => measureFresh(contender, { messages, inFlight }),
  };
}

const MOST_MESSAGES = 40_000;

/**
 * Warms all up, then gives each as many messages as take it about `seconds`: a slow one would else take most of the
 * run, and a fast one be over before it has begun. Sized while it is cold, the first would get too few.
 */
export async function runners(
  contenders: readonly Measured[],
  inFlight: number,
  seconds: number,
): Promise<Runner[]> {
  const sized: Runner[] = [];
  const fewest = Math.max(100, inFlight);
  for (const { measure } of contenders) await measure(fewest, inFlight);
  for (const { name, measure } of contenders) {
    const [rate = 0] = Object.values(await measure(fewest, inFlight));
    const messages = Math.min(MOST_MESSAGES, Math.max(fewest, Math.ceil(rate * seconds)));
    sized.push({ name, run: () => measure(messages, inFlight) });
  }
  return sized;
}
