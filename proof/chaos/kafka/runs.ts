import type { Check } from '../report.ts';
import type { Storm } from './storm.ts';

/** Messages whose worker lost its lease, or could not reach the store: another worker may run them meanwhile. */
export function lostLeases({ fleet }: Storm): Set<string> {
  const lost = fleet.reports.flatMap(({ worker, report }) => {
    if (report.type !== 'kept') return [];
    const isLost = report.reason === 'lease-lost' || report.reason === 'unrecorded';
    return isLost ? [`worker ${worker}, ${report.partition}-${report.offset}`] : [];
  });
  return new Set(lost);
}

/** A worker that is frozen between its claim and its handler cannot know better. */
export async function checkStarts(storm: Storm, looked: number): Promise<Check> {
  const rows = await storm.sql<{ run: string; state: string | null }[]>`
    select 'worker ' || worker || ', ' || partition || '-' || "offset" as run, state from runs
    where state is distinct from 'pending'`;
  const lost = lostLeases(storm);
  const violations = rows
    .filter(({ run }) => !lost.has(run))
    .map(({ run, state }) => `${run}: the record was ${state ?? 'missing'}`);
  return { rule: 'no handler begins for a settled message, but in a lost lease', looked, violations };
}

/** Looks for runs after one that came to its end in a worker that could have told the store. */
export async function checkRepeats(storm: Storm, looked: number): Promise<Check> {
  const rows = await storm.sql<{ ended: string; later: string }[]>`
    select
      'worker ' || ended.worker || ', ' || ended.partition || '-' || ended."offset" as ended,
      'worker ' || later.worker || ', ' || later.partition || '-' || later."offset" as later
    from runs as ended
    join runs as later on later.partition = ended.partition and later."offset" = ended."offset"
    where later.began_at > ended.ended_at and not ended.worker = any(${[...storm.fleet.killed]})`;
  const lost = lostLeases(storm);
  const violations = rows
    .filter(({ ended, later }) => !lost.has(ended) && !lost.has(later))
    .map(({ ended, later }) => `${ended} came to its end, and ran again: ${later}`);
  return { rule: 'what came to its end runs again only after a kill or a lost lease', looked, violations };
}

/** What a storm with batches has to show. Other storms have none. */
export async function checkBatches({ sql, fleet, options }: Storm): Promise<Check[]> {
  if (options.batchSize === undefined) return [];
  const [{ ran, hit } = { ran: 0, hit: 0 }] = await sql<{ ran: number; hit: number }[]>`
    select
      count(*)::integer as ran,
      count(distinct worker) filter (where worker = any(${[...fleet.killed]}) and ended_at is null and not exists (
        select from runs as later
        where later.worker = runs.worker and later.partition = runs.partition
          and later."offset" = runs."offset" and later.id > runs.id
      ))::integer as hit
    from runs where together > 1`;
  return [
    { rule: 'messages run in batches', looked: ran, violations: [] },
    { rule: 'workers are killed in the middle of batches', looked: hit, violations: [] },
  ];
}
