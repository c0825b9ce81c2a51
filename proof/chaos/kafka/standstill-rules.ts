import type { TimedReport } from '../../../test/kafka/broker/support/fleet.ts';
import type { Check } from '../report.ts';
import type { Storm } from './storm.ts';

/** A handler that had not ended. */
export interface OpenRun {
  readonly id: number;
  readonly partition: number;
  readonly offset: number;
}

export interface Standstill {
  readonly worker: number;
  readonly inHand: readonly OpenRun[];
  readonly partitions: readonly number[];
  /** How many reports there were. */
  readonly stoppedAt: number;
}

/** What all standstills of a storm have shown. */
export interface Findings {
  inHand: number;
  readonly commits: string[];
  readonly verdicts: string[];
  readonly unanswered: string[];
  checks(): Check[];
}

export function newFindings(): Findings {
  const findings: Findings = {
    inHand: 0,
    commits: [],
    verdicts: [],
    unanswered: [],
    checks: () =>
      [
        { rule: 'a zombie commits nothing before it has joined again', violations: findings.commits },
        { rule: 'a zombie settles nothing that another has run', violations: findings.verdicts },
        { rule: 'what a zombie settled is answered from the record', violations: findings.unanswered },
      ].map((check) => ({ ...check, looked: findings.inHand })),
  };
  return findings;
}

/** Judges what was reported since a worker went on. */
export async function judge(
  storm: Storm,
  { worker, inHand }: Standstill,
  since: readonly TimedReport[],
  findings: Findings,
): Promise<void> {
  findings.inHand += inHand.length;
  const joinedAt = since.findIndex((one) => one.worker === worker && one.report.type === 'joined');
  const asZombie = since.slice(0, joinedAt).filter((one) => one.worker === worker);
  for (const { report } of asZombie) {
    if (report.type !== 'committed') continue;
    findings.commits.push(`worker ${worker} committed ${report.offset} of partition ${report.partition}`);
  }
  for (const run of inHand) {
    const name = `${run.partition}-${run.offset}`;
    const later = await workersAfter(storm, run);
    const reports = since.filter((one) => isOf(one, run));
    const own = reports.filter((one) => one.worker === worker).map(({ report }) => report.type);
    const isAnswered = reports.some(({ report }) => report.type === 'replayed');
    if (
      later.length > 0 &&
      !later.includes(worker) &&
      own.includes('acknowledged') &&
      !own.includes('replayed')
    ) {
      findings.verdicts.push(`worker ${worker} settled ${name}, which ${later.join(' and ')} ran after it`);
    }
    // The zombie itself knows what became of it, if it was given the partition back in time.
    if (later.length === 0 && !isAnswered && !own.includes('acknowledged')) {
      findings.unanswered.push(`${name}, which only ${worker} ran`);
    }
  }
}

function isOf({ report }: TimedReport, { partition, offset }: OpenRun): boolean {
  return 'offset' in report && report.partition === partition && report.offset === offset;
}

async function workersAfter({ sql }: Storm, { id, partition, offset }: OpenRun): Promise<number[]> {
  const rows = await sql<{ worker: number }[]>`
    select distinct worker from runs where partition = ${partition} and "offset" = ${offset} and id > ${id}`;
  return rows.map((row) => row.worker);
}
