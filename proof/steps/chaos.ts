import { parseOptions } from '../../chaos/options.ts';
import { toTable } from '../../chaos/queue/row.ts';
import { holds, toText } from '../../chaos/report.ts';
import { runScenarios } from '../../chaos/run-scenarios.ts';
import { SCENARIOS } from '../../chaos/scenarios.ts';
import type { Step } from '../step.ts';

const GROUPS = ['control', 'workers', 'postgres', 'sqs'];

/** Faults of processes, servers and networks, a row for each. */
export const chaos: Step = {
  name: 'chaos',
  title: 'Chaos on PostgreSQL and SQS',
  async run({ seed }) {
    const reports = await runScenarios(parseOptions([...GROUPS, '--seed', String(seed)], SCENARIOS));
    const broken = reports.filter(({ checks }) => !checks.every(holds));
    const table = toTable(reports.flatMap(({ row }) => (row === undefined ? [] : [row])));
    const shown = broken.map((report) => `\n\n\`\`\`text\n${toText(report).trimEnd()}\n\`\`\``).join('');
    return { holds: broken.length === 0, text: `${table}\n\n${LEGEND}${shown}` };
  },
};

const LEGEND =
  'Lost is a message without an effect, doubled one with more than one. It is allowed where each run that left an effect ' +
  'behind has a cause that [guarantees](guarantees.md) names, on record in what the workers reported. Recovery is the time ' +
  'until a message succeeded that was in hand when a fault began: from the fault of its worker, or from the end of one ' +
  'that hit all. The first two rows have no library: there the checks have to find something. `chaos/README.md` says ' +
  'what each case does.';
