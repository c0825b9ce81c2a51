import type { Contender } from '../core/contender.ts';
import { payloadOf } from '../core/measure.ts';
import { costOfEach, costsAsRates } from '../costs.ts';
import type { Rates } from '../interleave.ts';
import { percentile } from '../statistics.ts';
import type { Arrivals } from './arrivals.ts';
import { sharedClock } from './clock.ts';
import { PERCENTILES } from './percentiles.ts';

/** From the plan to the first arrival. */
const LEAD_MS = 20;

export interface Stream {
  readonly keys: readonly string[];
  readonly perSecond: number;
  readonly arrivals: Arrivals;
}

/**
 * Messages that arrive at random times, and do not wait for one another. A latency begins when its message was due: one
 * that starts late, behind others, has that wait in its latency too.
 */
export async function openLoop(
  { handle, spent }: Contender,
  { keys, perSecond, arrivals }: Stream,
): Promise<Rates> {
  const before = await spent?.();
  const latencies: number[] = [];
  const messages = atRandomTimes(keys, perSecond);
  const firstDueAt = messages[0]?.dueAt ?? Number.NaN;
  await arrivals.handleEach(messages, async ({ key, dueAt }) => {
    await handle(key, payloadOf(key));
    latencies.push(sharedClock() - dueAt);
  });
  const rate = keys.length / ((sharedClock() - firstDueAt) / 1_000);
  const after = await spent?.();
  const costs = before === undefined || after === undefined ? {} : costOfEach(before, after, keys.length);
  const ofShares = PERCENTILES.map(({ name, share }) => [name, percentile(latencies, share)] as const);
  return { fresh: rate, ...costsAsRates('fresh', costs), ...Object.fromEntries(ofShares) };
}

/** As independent senders would: the gaps between them are exponential. */
function atRandomTimes(keys: readonly string[], perSecond: number): { key: string; dueAt: number }[] {
  let dueAt = sharedClock() + LEAD_MS;
  return keys.map((key) => {
    dueAt -= (Math.log(1 - Math.random()) * 1_000) / perSecond;
    return { key, dueAt };
  });
}
