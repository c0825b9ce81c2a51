import type { Storm } from './storm.ts';

/** Messages whose handler ended after its lease, or whose store did not answer: another worker may run them. */
export function lostLeases({ fleet }: Storm): string[] {
  return fleet.reports.flatMap(({ worker, report }) => {
    if (report.type !== 'withheld') return [];
    const isLost = report.reason === 'lease-lost' || report.reason === 'unrecorded';
    return isLost ? [`${worker}: ${report.partition}-${report.offset}`] : [];
  });
}

/** Runs after one that came to its end in a worker that could have told the store. */
export async function unexplainedRuns(storm: Storm): Promise<string[]> {
  const { sql, fleet, frozen } = storm;
  const explained = [...fleet.killed, ...frozen];
  const rows = await sql<{ run: string; again: number }[]>`
    select ended.worker || ': ' || ended.partition || '-' || ended."offset" as run, later.worker as again
    from runs as ended
    join runs as later using (partition, "offset")
    where ended.has_ended and later.id > ended.id and not ended.worker = any(${explained})`;
  const lost = new Set(lostLeases(storm));
  return rows
    .filter(({ run }) => !lost.has(run))
    .map(({ run, again }) => `worker ${run} came to its end, and ran again in ${again}`);
}
