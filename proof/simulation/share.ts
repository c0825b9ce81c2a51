/** Runs seeds in a process of its own, and sends what it has found to the one that has started it. */
import { runSeeds } from './run-seeds.ts';
import type { Share, ShareOutcome } from './run-shares.ts';

const { from, count, surface } = JSON.parse(process.argv[2] ?? '') as Share;
const { coverage, failure } = await runSeeds(from, count, surface);
const { counts } = coverage;
process.send?.({ counts, failure } satisfies ShareOutcome);
