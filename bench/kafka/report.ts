import { spread } from '../statistics.ts';
import type { Consumed } from './consume.ts';
import type { Contender } from './contender.ts';

/** A contender's runs, one for each round. */
export interface Result {
  readonly contender: Contender;
  readonly runs: readonly Consumed[];
}

/** A table of rates, each as ratios to the first two contenders of the same round, and the memory of the last round. */
export function report(results: readonly Result[]): string {
  const [bare, tutorial] = results;
  const rows = results.map(({ contender, runs }) => {
    const rate = Math.round(spread(runs.map((run) => run.messagesPerSecond)).median);
    return `| ${contender.name} | ${rate} | ${ratio(runs, bare)} | ${ratio(runs, tutorial)} |`;
  });
  const memory = results.map(
    ({ contender, runs }) => `resident MiB in tenths, ${contender.name}: ${runs.at(-1)?.resident.join(' ')}`,
  );
  return ['| consumer | msg/s | to bare | to tutorial |', '|---|---|---|---|', ...rows, '', ...memory].join(
    '\n',
  );
}

function ratio(runs: readonly Consumed[], other: Result | undefined): string {
  const { median, min, max } = spread(
    runs.map((run, round) => run.messagesPerSecond / (other?.runs[round]?.messagesPerSecond ?? Number.NaN)),
  );
  return `${median.toFixed(2)}x (${min.toFixed(2)} to ${max.toFixed(2)})`;
}
