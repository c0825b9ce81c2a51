import { startKafka } from '../../../test/support/services/kafka.ts';
import type { Chaos } from '../chaos.ts';
import type { Report } from '../report.ts';
import { until } from '../until.ts';
import { type Standstill, judge, newFindings, type OpenRun } from './standstill-rules.ts';
import { runStorm } from './run-storm.ts';
import type { Storm, StormOptions } from './storm.ts';
import { assignments, reportsOf } from './worker-reports.ts';

const WORKERS = 3;
const PARTITIONS = 6;

/** A worker is frozen in the middle of handlers until its partitions, or its leases too, are another's. */
export async function standstill(chaos: Chaos): Promise<Report> {
  const kafka = await startKafka();
  const steps = chaos.quick ? 2 : 10;
  try {
    const options: StormOptions = {
      ...{ name: 'standstill', brokers: kafka.url.split(','), ordering: 'key', fromBeginning: true },
      ...{ partitions: PARTITIONS, keys: 60, perSecond: 10, failing: 0.05, handlerMs: [300, 1_500] },
      ...{ sessionTimeoutMs: 3_000, leaseMs: 12_000, mayCrash: false },
    };
    return await runStorm(chaos, options, async (storm) => {
      for (let worker = 0; worker < WORKERS; worker += 1) storm.fleet.join();
      await storm.startLoad();
      const findings = newFindings();
      for (let step = 1; step <= steps; step += 1) {
        await until('all have partitions', () => isShared(storm));
        const { worker, isLong } = decide(storm);
        const stop = await freeze(storm, worker);
        storm.log(
          `step ${step} of ${steps}: ${worker} is frozen with ${stop.inHand.length} in flight, until ` +
            (isLong ? 'others have done them' : 'others have its partitions'),
        );
        await until('others take over', () => (isLong ? areDone(storm, stop) : areTaken(storm, stop)));
        await thaw(storm, stop, findings);
        await storm.commits.look();
      }
      return { steps, checks: findings.checks() };
    });
  } finally {
    await kafka.stop();
  }
}

function decide({ random, fleet }: Storm): { worker: number; isLong: boolean } {
  const alive = fleet.alive();
  const worker = alive[Math.floor(random() * alive.length)] ?? 0;
  return { worker, isLong: random() < 0.5 };
}

function isShared({ fleet }: Storm): boolean {
  const assigned = [...assignments(fleet.reports).values()];
  const partitions = assigned.flat();
  return (
    assigned.length === WORKERS &&
    assigned.every((own) => own.length > 0) &&
    partitions.length === PARTITIONS &&
    new Set(partitions).size === PARTITIONS
  );
}

/** Stops a worker while it runs handlers. */
async function freeze(storm: Storm, worker: number): Promise<Standstill> {
  const { fleet } = storm;
  let inHand: readonly OpenRun[] = [];
  await until('a worker with handlers', async () => {
    fleet.stop(worker);
    inHand = await runsOf(storm, worker);
    if (inHand.length === 0) fleet.go(worker);
    return inHand.length > 0;
  });
  const partitions = assignments(fleet.reports).get(worker) ?? [];
  return { worker, inHand, partitions, stoppedAt: fleet.reports.length };
}

async function runsOf({ sql, scope, topic }: Storm, worker: number): Promise<OpenRun[]> {
  return sql<OpenRun[]>`
    select max(runs.id) as id, runs.partition, runs."offset" from runs
    join handle_once.records
      on scope = ${scope} and key = ${topic}::text || '-' || runs.partition || '-' || runs."offset"
    where worker = ${worker} and ended_at is null and records.state = 'pending' and records.owned
    group by runs.partition, runs."offset"`;
}

async function areDone({ sql, scope, topic }: Storm, { inHand }: Standstill): Promise<boolean> {
  const keys = inHand.map(({ partition, offset }) => `${topic}-${partition}-${offset}`);
  const open = await sql`
    select key from handle_once.records
    where scope = ${scope} and key = any(${keys}) and state = 'pending'`;
  return open.length === 0;
}

function areTaken({ fleet }: Storm, { worker, partitions, stoppedAt }: Standstill): boolean {
  const since = reportsOf(fleet.reports.slice(stoppedAt), 'joined').filter((one) => one.worker !== worker);
  const taken = new Set(since.flatMap((one) => one.partitions));
  return partitions.every((partition) => taken.has(partition));
}

/** Lets a worker go on, waits until it has joined again and its messages are committed, and judges it. */
async function thaw(storm: Storm, stop: Standstill, findings: ReturnType<typeof newFindings>): Promise<void> {
  const { fleet } = storm;
  const wentOnAt = fleet.reports.length;
  fleet.go(stop.worker);
  await until('it joins again', () =>
    reportsOf(fleet.reports.slice(wentOnAt), 'joined').some(({ worker }) => worker === stop.worker),
  );
  await until('its messages are committed', async () => {
    const committed = await storm.committed();
    return stop.inHand.every(({ partition, offset }) => (committed[partition] ?? -1) > offset);
  });
  await judge(storm, stop, fleet.reports.slice(wentOnAt), findings);
}
