import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { rounded, spread } from '../statistics.ts';
import { type Contender, contenders, OFF } from './contenders.ts';

setFlagsFromString('--expose-gc');
/** So that each pays for its own garbage: without it a figure varies by 20 us, more than what is measured. */
const collectGarbage = runInNewContext('gc') as () => void;

const IN_FLIGHT = 100;
/** As many times the rounds of other sections: a few microseconds are less than what garbage collection moves. */
const MORE_ROUNDS = 10;

/** What it costs to be seen: CPU of metrics, and of metrics with spans, beside a process that has neither. */
export const observability: Section = async ({ sizes: { observedMessages: messages, ...sizes } }) => {
  const rounds = sizes.rounds * MORE_ROUNDS;
  const all = await contenders();
  for (const { start } of all) await cpuOf(start, messages);
  const samples = await interleave(
    all.map(({ name, start }) => ({ name, run: async () => ({ cpu: await cpuOf(start, messages) }) })),
    rounds,
  );
  const cpu = new Map(samples.get('cpu')?.map(({ contender, rates }) => [contender, rates]));
  const base = cpu.get(OFF) ?? [];
  const facts = Object.fromEntries(
    [...cpu].map(([name, spent]) => [
      `${name}, us of CPU for a message`,
      inText(spent.map((each, round) => (name === OFF ? each : each - (base[round] ?? Number.NaN)))),
    ]),
  );
  return { facts: { rounds, messages, 'in flight': IN_FLIGHT, ...facts }, comparisons: [] };
};

/** Microseconds for each message. */
async function cpuOf(start: Contender['start'], messages: number): Promise<number> {
  const { handle, stop } = start();
  const keys = Array.from({ length: messages }, (_, index) => `m-${index}`)[Symbol.iterator]();
  collectGarbage();
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (const key of keys) await handle(key);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  await stop();
  return (user + system) / messages;
}

function inText(values: readonly number[]): string {
  const { min, median, max } = rounded(spread(values), 1);
  return `${median} (${min} to ${max})`;
}
