import { parseOptions } from '../../chaos/options.ts';
import { toTable } from '../../chaos/queue/row.ts';
import { holds, toText } from '../../chaos/report.ts';
import { runScenarios } from '../../chaos/run-scenarios.ts';
import { SCENARIOS } from '../../chaos/scenarios.ts';
import type { Step } from '../step.ts';

/** Groups of faults of processes, servers and networks, with a row for each. */
export function chaos(name: string, title: string, groups: readonly string[], note: string): Step {
  return {
    name,
    title,
    async run({ seed }) {
      const reports = await runScenarios(parseOptions([...groups, '--seed', String(seed)], SCENARIOS));
      const broken = reports.filter(({ checks }) => !checks.every(holds));
      const table = toTable(reports.flatMap(({ row }) => (row === undefined ? [] : [row])));
      const shown = broken.map((report) => `\n\n\`\`\`text\n${toText(report).trimEnd()}\n\`\`\``).join('');
      return { holds: broken.length === 0, text: `${table}\n\n${note}${shown}` };
    },
  };
}
