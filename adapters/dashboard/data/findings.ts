import { doctor } from '../../operations/doctor/doctor.ts';
import type { Finding } from '../../operations/doctor/finding.ts';
import type { Context } from '../context.ts';

/** Checks of the client and the role of a worker: those of the dashboard are others. */
const OF_A_WORKER = ['pooler', 'pool-size', 'isolation', 'writes', 'rights', 'row-security'];

/** What `doctor` finds, as far as it can be seen from here. */
export async function findings({ tables }: Context) {
  const all = await doctor(tables);
  const seen = all.filter(({ check }) => !OF_A_WORKER.includes(check));
  const of = (level: Finding['level']): number => seen.filter((finding) => finding.level === level).length;
  return { problems: of('problem'), notices: of('notice'), findings: seen };
}

export type Findings = Awaited<ReturnType<typeof findings>>;
