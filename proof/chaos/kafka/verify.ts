import { endOffsets } from '../../../test/support/kafka-offsets.ts';
import type { Check, Report } from '../report.ts';
import { commitsBack, readCommitLog } from './commit-log.ts';
import { checkBatches, checkRepeats, checkStarts, lostLeases } from './runs.ts';
import type { Storm } from './storm.ts';
import { foreignCommits, reportsOf } from './worker-reports.ts';

/** What must hold after any storm. */
export async function verify(storm: Storm): Promise<Omit<Report, 'storm'>> {
  const { sql, fleet, kafka, admin, topic, groupId } = storm;
  const ends = await endOffsets(admin, topic);
  const messages = ends.reduce((sum, end) => sum + end, 0);
  const [{ runs } = { runs: 0 }] = await sql<{ runs: number }[]>`select count(*)::integer as runs from runs`;
  const figures = {
    messages,
    runs,
    workers: new Set(fleet.reports.map(({ worker }) => worker)).size,
    rebalances: reportsOf(fleet.reports, 'joined').filter(({ isLeader }) => isLeader).length,
    killed: fleet.killed.length,
    'answered from the record': reportsOf(fleet.reports, 'replayed').length,
    'lost leases': lostLeases(storm).size,
  };
  const { looks, passed, wentBack } = storm.commits;
  const log = await readCommitLog(kafka, admin, groupId, topic);
  const checks: Check[] = [
    { rule: 'every message succeeded', looked: messages, violations: await notSucceeded(storm, ends) },
    { rule: 'every effect happened once', looked: messages, violations: await notOnce(storm, ends) },
    await inOrder(storm),
    await checkStarts(storm, runs),
    await checkRepeats(storm, runs),
    { rule: 'no commit passes an unsettled message', looked: looks(), violations: passed },
    { rule: 'no look finds a commit gone back', looked: looks(), violations: wentBack },
    { rule: 'no commit in the log of commits goes back', looked: log.length, violations: commitsBack(log) },
    ...(await checkBatches(storm)),
    foreign(storm),
    healthy(storm),
  ];
  return { figures, checks };
}

async function notSucceeded({ sql, scope, topic }: Storm, ends: readonly number[]): Promise<string[]> {
  const rows = await sql<{ place: string; state: string | null }[]>`
    select partition - 1 || '-' || offset_ as place, records.state
    from unnest(${ends}::bigint[]) with ordinality as log (ends, partition)
    cross join generate_series(0, ends - 1) as offset_
    left join handle_once.records
      on records.scope = ${scope} and records.key = ${topic}::text || '-' || partition - 1 || '-' || offset_
    where records.state is distinct from 'succeeded'`;
  return rows.map(({ place, state }) => `${place}: ${state ?? 'no record'}`);
}

async function notOnce({ sql }: Storm, ends: readonly number[]): Promise<string[]> {
  const rows = await sql<{ place: string; count: number }[]>`
    select log.partition - 1 || '-' || offset_ as place, count(effects.id)::integer as count
    from unnest(${ends}::bigint[]) with ordinality as log (ends, partition)
    cross join generate_series(0, ends - 1) as offset_
    left join effects on effects.partition = log.partition - 1 and effects."offset" = offset_
    group by place having count(effects.id) <> 1`;
  return rows.map(({ place, count }) => `${place}: ${count} effects`);
}

async function inOrder({ sql, options: { ordering } }: Storm): Promise<Check> {
  const rows = await sql<{ partition: number; offset: number; before: number | null }[]>`
    select partition, "offset", lag("offset") over (
      partition by partition, case when ${ordering} = 'key' then message_key end order by id
    ) as before from effects`;
  const violations = rows
    .filter(({ offset, before }) => before !== null && before > offset)
    .map(({ partition, offset, before }) => `${partition}-${offset} after ${before ?? ''}`);
  return { rule: `effects are in the order of each ${ordering}`, looked: rows.length, violations };
}

function foreign({ fleet }: Storm): Check {
  const looked = reportsOf(fleet.reports, 'committed').length;
  const violations = foreignCommits(fleet.reports);
  return { rule: 'no worker commits for a partition that is not its own', looked, violations };
}

function healthy({ fleet, options: { mayCrash } }: Storm): Check {
  const crashes = reportsOf(fleet.reports, 'crashed')
    .filter(({ restart }) => !restart || !mayCrash)
    .map(({ worker, error }) => `worker ${worker} crashed: ${error}`);
  const joined = new Set(reportsOf(fleet.reports, 'joined').map(({ worker }) => worker));
  const rule = mayCrash ? 'no worker stops for good' : 'no worker crashes';
  return { rule, looked: joined.size, violations: [...crashes, ...fleet.failures] };
}
