import { randomInt, randomUUID } from 'node:crypto';
import { drive, expectCount } from '../core/measure.ts';
import type { Measured } from '../core/measured.ts';
import type { Rates } from '../interleave.ts';
import type { CachingContender } from './contender.ts';

/** Redeliveries are of the last so many messages that have succeeded. */
export const RECENT = 20_000;

export interface Mixed {
  /** The same contender, with a share of its messages that are redeliveries. */
  readonly withDuplicates: (share: number) => Measured;
}

export function mixed(contender: CachingContender): Mixed {
  let recent: readonly string[] = [];

  async function measure(messages: number, inFlight: number, share: number): Promise<Rates> {
    const again = shuffled(recent).slice(0, Math.round(messages * share));
    const fresh = Array.from({ length: messages - again.length }, () => randomUUID());
    const keys = shuffled([...fresh, ...again]);
    const before = await countsOf(contender);
    const rates = await drive('mixed', contender, keys, inFlight);
    const after = await countsOf(contender);

    expectCount(contender, 'delivered again', again.length, Math.round(messages * share));
    expectCount(contender, 'done', after.done - before.done, fresh.length);
    expectCount(contender, 'on record', await contender.succeeded(fresh), fresh.length);
    const answered = contender.cache === undefined ? 0 : again.length;
    expectCount(contender, 'handed on', after.handed - before.handed, messages - answered);
    recent = [...recent, ...fresh].slice(-RECENT);
    return rates;
  }

  return {
    withDuplicates: (share) => ({
      name: contender.name,
      measure: (messages, inFlight) => measure(messages, inFlight, share),
    }),
  };
}

interface Counts {
  readonly done: number;
  readonly handed: number;
}

async function countsOf({ work, handed }: CachingContender): Promise<Counts> {
  return { done: await work.done(), handed: handed() };
}

/** Fisher and Yates. */
function shuffled(keys: readonly string[]): string[] {
  const drawn = [...keys];
  for (let last = drawn.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [drawn[last], drawn[other]] = [drawn[other] as string, drawn[last] as string];
  }
  return drawn;
}
