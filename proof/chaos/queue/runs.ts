import type { FromWorker } from '../../../test/support/fleet.ts';
import type { Fault } from './scene.ts';
import type { Ending, WorkerReport } from './settings.ts';

/** A handler that was started. */
export interface HandlerRun {
  readonly run: string;
  readonly worker: number;
  readonly message: number;
  /** How many messages its handler has got. */
  readonly together: number;
  readonly beganAt: number;
  /** How and when its worker said that it ended. Undefined: it did not live to say so. */
  readonly ending: Ending | undefined;
  readonly endedAt: number | undefined;
}

/** Why a message ran again, each as docs/guarantees.md permits it. */
export const CAUSES = [
  'its handler threw',
  'its transaction was undone',
  'it was interrupted',
  'its worker was killed',
  'its worker was frozen',
  'its worker lost the database',
] as const;

const WAS_FROZEN = 'its worker was frozen';
const LOST_DATABASE = 'its worker lost the database';

export type Cause = (typeof CAUSES)[number];

/** What has happened, as workers reported it and as faults were noted. */
export interface Evidence {
  readonly reports: readonly FromWorker<WorkerReport>[];
  readonly faults: readonly Fault[];
}

/** In the order in which they began. */
export function runsOf({ reports }: Evidence): HandlerRun[] {
  const ends = new Map<string, { readonly ending: Ending; readonly at: number }>();
  for (const { report } of reports) {
    if (report.type === 'ended' && report.run !== undefined) ends.set(report.run, report);
  }
  return reports
    .flatMap(({ worker, report }) => {
      if (report.type !== 'began') return [];
      const { run, message, together, at } = report;
      const end = ends.get(run);
      return [{ run, worker, message, together, beganAt: at, ending: end?.ending, endedAt: end?.at }];
    })
    .sort((a, b) => a.beganAt - b.beganAt);
}

/** Whether a fault began in the middle of a run, and in its worker or in the way of all. */
export function isHit({ worker, beganAt, endedAt }: HandlerRun, fault: Fault): boolean {
  const isInTheWay = fault.worker === undefined || fault.worker === worker;
  return isInTheWay && beganAt <= fault.from && (endedAt === undefined || endedAt > fault.from);
}

/** The cause of the run that followed on another of its message, or undefined where none is known. */
export function causeOfNext(run: HandlerRun, nextBeganAt: number, evidence: Evidence): Cause | undefined {
  switch (run.ending) {
    case 'succeeded':
    case 'replayed':
    case 'failed':
      return undefined;
    case 'threw':
    case 'released':
      return 'its handler threw';
    case 'undone':
      return 'its transaction was undone';
    case 'interrupted':
      return 'it was interrupted';
    case 'lease-lost':
    case 'unrecorded':
      return whyNotSettled(run, nextBeganAt, evidence);
    case undefined:
      return wasKilled(run, nextBeganAt, evidence) ?? whyNotSettled(run, nextBeganAt, evidence);
  }
}

function wasKilled({ worker, beganAt }: HandlerRun, until: number, { faults }: Evidence): Cause | undefined {
  const isSo = faults.some(
    (fault) =>
      fault.kind === 'killed' && fault.worker === worker && fault.from >= beganAt && fault.from <= until,
  );
  return isSo ? 'its worker was killed' : undefined;
}

/** What was done on purpose comes before what the worker has noticed. */
function whyNotSettled(run: HandlerRun, until: number, evidence: Evidence): Cause | undefined {
  const during = (from: number, end: number): boolean => from <= until && end >= run.beganAt;
  const own = evidence.reports.flatMap(({ worker, report }) => (worker === run.worker ? [report] : []));
  const faults = evidence.faults.filter(({ from, until: end }) => during(from, end));
  if (faults.some(({ kind, worker }) => kind === 'stopped' && worker === run.worker)) return WAS_FROZEN;
  if (faults.some(({ kind }) => kind === 'database')) return LOST_DATABASE;
  if (own.some((one) => one.type === 'store-error' && during(one.at, one.at))) return LOST_DATABASE;
  if (own.some((one) => one.type === 'stood-still' && during(one.from, one.at))) return WAS_FROZEN;
  return undefined;
}
