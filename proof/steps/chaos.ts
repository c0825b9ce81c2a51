import { parseOptions } from '../chaos/options.ts';
import { toTable } from '../chaos/queue/row.ts';
import { runScenarios } from '../chaos/run-scenarios.ts';
import { SCENARIOS } from '../chaos/scenarios.ts';
import type { Step } from '../step.ts';
import { brokenIn } from './broken-reports.ts';

/** Groups of faults of processes, servers and networks, with a row for each. */
export function chaos(name: string, title: string, groups: readonly string[], note: string): Step {
  return {
    name,
    title,
    async run({ seed }) {
      const reports = await runScenarios(parseOptions([...groups, '--seed', String(seed)], SCENARIOS));
      const broken = brokenIn(reports);
      const table = toTable(reports.flatMap(({ row }) => (row === undefined ? [] : [row])));
      return { holds: broken.holds, text: `${table}\n\n${note}${broken.shown}` };
    },
  };
}
