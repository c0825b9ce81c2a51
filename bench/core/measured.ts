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

/** Runs before the rounds: the first is of a cold contender, and of so few messages that most are its first. */
const SIZINGS = 2;

/**
 * Gives each as many messages as take it about `seconds`: a slow one would else take most of the run, and a fast one be
 * over before it has begun.
 */
export async function runners(
  contenders: readonly Measured[],
  inFlight: number,
  seconds: number,
): Promise<Runner[]> {
  const fewest = Math.max(100, inFlight);
  const counts = contenders.map(() => fewest);
  for (let sizing = 0; sizing < SIZINGS; sizing += 1) {
    for (const [index, { measure }] of contenders.entries()) {
      const [rate = 0] = Object.values(await measure(counts[index] as number, inFlight));
      counts[index] = Math.min(MOST_MESSAGES, Math.max(fewest, Math.ceil(rate * seconds)));
    }
  }
  return contenders.map(({ name, measure }, index) => ({
    name,
    run: () => measure(counts[index] as number, inFlight),
  }));
}
