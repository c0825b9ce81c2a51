import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { rounded, spread } from '../statistics.ts';
import { comparedWith, NAMES } from './contenders.ts';

const PROGRAM = fileURLToPath(new URL('contender-process.ts', import.meta.url));
/** As many times the rounds of other sections: what is measured is small. */
const MORE_ROUNDS = 2;

/**
 * What it costs to be seen: CPU of metrics, and of metrics with spans, beside a process that has neither. Metrics are
 * measured twice: alone, and where other libraries make spans, whose contexts slow all promises of a process.
 *
 * Each is a process of its own, as with users: in one process for all, code that is optimized for channels without a
 * subscriber is thrown away by the contender that subscribes.
 */
export const observability: Section = async ({ sizes: { observedMessages: messages, ...sizes } }) => {
  const rounds = sizes.rounds * MORE_ROUNDS;
  const samples = await interleave(
    NAMES.map((name) => ({ name, run: async () => ({ cpu: await cpuOf(name, messages) }) })),
    rounds,
  );
  const cpu = new Map(samples.get('cpu')?.map(({ contender, rates }) => [contender, rates]));
  const facts = NAMES.map((name): [string, string] => {
    const base = cpu.get(comparedWith(name) ?? '');
    const spent = cpu.get(name) ?? [];
    return [
      `${name}, ${base === undefined ? 'us' : 'more us'} of CPU for a message`,
      inText(spent.map((each, round) => each - (base?.[round] ?? 0))),
    ];
  });
  return { facts: { rounds, messages, ...Object.fromEntries(facts) }, comparisons: [] };
};

async function cpuOf(name: string, messages: number): Promise<number> {
  const child = fork(PROGRAM, [name, String(messages)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of ${name} ended with code ${String(code)}`);
  });
  ended.catch(() => undefined);
  const [cost] = (await Promise.race([once(child, 'message'), ended])) as [number];
  return cost;
}

function inText(values: readonly number[]): string {
  const { min, median, max } = rounded(spread(values), 1);
  return `${median} (${min} to ${max})`;
}
