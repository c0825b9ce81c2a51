import { storm } from '../overlap/storm.ts';
import { type Step, table } from '../step.ts';

const WORKERS = 3;
const IN_FLIGHT = 200;
const CALLS = 1_000_000;

/** Batches of claims and settles, of processes that have the same messages. */
export const overlap: Step = {
  name: 'overlap',
  title: 'Processes that have the same messages',
  async run({ sql, databaseUrl, seed }) {
    const load = { workers: WORKERS, inFlight: IN_FLIGHT, calls: CALLS };
    const figures = await storm(sql, { ...load, seed, databaseUrl });
    const head = [
      ...['calls', 'statements', 'claims and settles in them', 'deadlocks'],
      ...['takeovers', 'zombies', 'standstills', 'purged', 'errors', 'wrong', 'seconds'],
    ];
    const { calls, statements, requests, deadlocks, takeovers, zombies } = figures;
    const { standstills, purged, failed, wrong, seconds } = figures;
    const counts = [calls, statements, requests, deadlocks, takeovers, zombies, standstills, purged];
    const row = [...counts, failed, wrong, Math.round(seconds)].map((count) => count.toLocaleString('en'));
    const holds = deadlocks === 0 && wrong === 0 && zombies > 0 && takeovers > 0 && purged > 0;
    return { holds, text: `${table(head, [row])}\n\n${LEGEND}` };
  },
};

const LEGEND =
  `${WORKERS} processes, ${IN_FLIGHT} in flight in each, go through the same keys, in random order among 500. Each ` +
  'twentieth handler throws, and three in twenty take up to 300 ms. One process after the other is frozen for two leases: the others take ' +
  'over its messages, and it settles as a zombie. Half of the records expire after a second, a walk of maintenance ' +
  'purges them all the time, and their keys run again. Wrong is a message among the others that did not succeed once. ' +
  'Errors are claims, settles and heartbeats that failed, mostly since their process was frozen.';
