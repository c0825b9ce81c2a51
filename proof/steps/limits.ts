import type { Figures } from '../limits/figures.ts';
import { atOnce, inFlight, oneKey } from '../limits/loads.ts';
import { type Step, table } from '../step.ts';

const TEN_MINUTES_MS = 600_000;

/** Very many messages in one process. */
export const limits: Step = {
  name: 'limits',
  title: 'Limits of one process',
  async run({ sql }) {
    const flight = await inFlight(sql, { lanes: 1_000, forMs: TEN_MINUTES_MS, handlerMs: 500 });
    const once = await atOnce(sql, 100_000);
    const key = await oneKey(sql, { callers: 10_000, handlerMs: 1_000, waitMs: 600_000 });
    const rows = [
      row('1,000 in flight for ten minutes, handlers of 500 ms', flight),
      row('100,000 calls at once', once),
      row('10,000 callers of one key, who wait for its owner', key),
    ];
    const head = ['load', 'calls', 'runs', 'wrong', 'seconds', 'p50', 'p99', 'longest', 'resident MiB'];
    const isRight = [flight, once].every(({ calls, runs }) => calls === runs) && key.runs === 1;
    const holds = isRight && [flight, once, key].every(({ wrong }) => wrong === 0);
    return { holds, text: `${table(head, rows)}\n\n${LEGEND}` };
  },
};

const LEGEND =
  'Wrong is a call that did not succeed at attempt 1. Times are milliseconds of a call without its handler; with one key ' +
  'they include the wait for the owner. Memory is that before, at most, and after. One client of ten connections.';

function row(name: string, { calls, runs, wrong, seconds, p50, p99, longest, memory }: Figures): string[] {
  const [before, most, after] = memory;
  const counts = [calls, runs, wrong, Math.round(seconds)].map((count) => count.toLocaleString('en'));
  const times = [p50, p99, longest].map((time) => Math.round(time).toLocaleString('en'));
  return [name, ...counts, ...times, `${before}, ${most}, ${after}`];
}
