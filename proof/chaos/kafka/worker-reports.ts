import type { WorkerReport } from '../../../test/kafka/broker/support/chaos-settings.ts';
import type { TimedReport } from '../../../test/kafka/broker/support/fleet.ts';

type Of<Type extends WorkerReport['type']> = Extract<WorkerReport, { readonly type: Type }>;

/** Reports of one type, with who made each. */
export function reportsOf<Type extends WorkerReport['type']>(
  reports: readonly TimedReport[],
  type: Type,
): (Of<Type> & { readonly worker: number })[] {
  return reports.flatMap(({ worker, report }) =>
    report.type === type ? [{ ...(report as Of<Type>), worker }] : [],
  );
}

/** The partitions of each worker, as it was last told. */
export function assignments(reports: readonly TimedReport[]): Map<number, readonly number[]> {
  return new Map(reportsOf(reports, 'joined').map(({ worker, partitions }) => [worker, partitions]));
}

/** Commits of partitions that were not the worker's. */
export function foreignCommits(reports: readonly TimedReport[]): string[] {
  const assigned = new Map<number, readonly number[]>();
  return reports.flatMap(({ worker, report }) => {
    if (report.type === 'joined') assigned.set(worker, report.partitions);
    if (report.type !== 'committed' || assigned.get(worker)?.includes(report.partition) === true) return [];
    return [`worker ${worker} committed ${report.offset} of partition ${report.partition}`];
  });
}
