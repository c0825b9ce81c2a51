/**
 * Searches for lost and doubled messages: many workers, a store and a queue in one process, in virtual time, under
 * faults that a seed decides. Ends with 1 when a rule did not hold, after the timeline of the first such seed.
 * `npm run simulate -- --seeds 1000 --from 1`; `-- --seeds 1 --from 4711 --timeline` for one seed, as it was.
 */
import { parseOptions } from './options.ts';
import { replay, toLine } from './run-seeds.ts';
import { runShares } from './run-shares.ts';

const { seeds, from, surface, timeline } = parseOptions(process.argv.slice(2));
const startedAt = performance.now();
const { coverage, failure } = await runShares(from, seeds, surface);
if (failure !== undefined || timeline) console.log(await replay(failure?.seed ?? from));
console.log(`\n${coverage.toText()}, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
const missing = coverage.missing();
if (failure !== undefined) console.log(`NOT KEPT: ${toLine(failure)}`);
else if (missing.length > 0) console.log(`NEVER HAPPENED: ${missing.join(', ')}`);
else console.log(`All rules held, seeds ${from} to ${from + seeds - 1}`);
process.exitCode = failure === undefined && missing.length === 0 ? 0 : 1;
