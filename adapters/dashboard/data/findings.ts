import { doctor } from '../../operations/doctor/doctor.ts';
import type { Finding } from '../../operations/doctor/finding.ts';
import type { Context } from '../page.ts';

/** Checks of the client and the role of a worker: those of the dashboard are others. */
const OF_A_WORKER = ['pooler', 'pool-size', 'isolation', 'writes', 'rights', 'row-security'];

/** What `doctor` finds, as far as it can be seen from here. */
export async function findings({ tables }: Context) {
  const seen = (await doctor(tables)).filter(({ check }) => !OF_A_WORKER.includes(check));
  const of = (level: Finding['level']): number => seen.filter((finding) => finding.level === level).length;
  return { problems: of('problem'), notices: of('notice'), findings: seen };
}

export type Findings = Awaited<ReturnType<typeof findings>>;
