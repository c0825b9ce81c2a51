import { lastWalkAt } from '../../operations/last-walk-at.ts';
import { readStats } from '../../operations/read-stats.ts';
import { readStatus, type StatusRow } from '../../operations/read-status.ts';
import { permanentFailures } from '../data/failures.ts';
import { findings, type Findings } from '../data/findings.ts';
import { tableSizes, workersSeen } from '../data/overview.ts';
import { type Rates, ratesOf, sumOf } from '../data/rates.ts';
import { linkTo, manual } from '../links.ts';
import { page } from '../page.ts';
import { chart } from '../parts/chart.tsx';
import { given, link, shown, table } from '../parts/values.tsx';
import { bytes, count, counted, percent } from '../parts/words.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_SCOPES = 200;
const QUARTER_MS = 15 * MINUTE_MS;

export const overview = page({
  read: async (context) => {
    const { tables, now } = context;
    const stats = await readStats({ ...tables, sinceMs: 24 * HOUR_MS });
    const census = await readStatus(tables);
    return {
      countedAt: census[0]?.takenAt ?? (await lastWalkAt(tables)),
      census,
      health: await findings(context),
      failed: (await permanentFailures(context, { sinceMs: HOUR_MS })).failed,
      lastHour: ratesOf(stats, now, 60, MINUTE_MS),
      lastDay: ratesOf(stats, now, 96, QUARTER_MS),
      tables: await tableSizes(context),
      workers: await workersSeen(context),
    };
  },
  look: (data, { now }) => [
    badges(data.failed.atLeast, data.failed.failedNow, data.health),
    <p>
      Messages that are{' '}
      {(['running', 'lapsed', 'waiting', 'backing-off'] as const).map((phase, place) => [
        place > 0 && ', ',
        link(phase.replace('-', ' '), 'messages', { phase, since: '7d', order: 'oldest' }),
      ])}
      , the oldest first
    </p>,
    <h2>Records</h2>,
    censusPart(data.census, data.countedAt, now),
    <h2>Events</h2>,
    eventsPart(data.lastHour, data.lastDay, now),
    <h2>Workers</h2>,
    table({
      caption: 'Processes that claimed messages in the last day, including those that have ended',
      ...{ now, rows: data.workers, empty: 'No process has claimed a message in the last day.' },
      columns: {
        host: ({ host }) => host,
        process: ({ pid }) => String(pid),
        id: ({ id }) => <code>{id}</code>,
        version: ({ version }) => version,
        started: ({ startedAt }) => startedAt,
      },
    }),
    <h2>Tables</h2>,
    table({
      caption: 'Sizes, and rows as the server estimates them',
      ...{ now, rows: data.tables, empty: 'There are no tables.' },
      columns: {
        table: ({ name }) => name,
        size: ({ tableBytes }) => bytes(tableBytes),
        indexes: ({ indexBytes }) => bytes(indexBytes),
        rows: ({ liveRows }) => liveRows,
        'dead rows': ({ deadRows }) => deadRows,
      },
    }),
  ],
});

function badges(atLeast: number, failedNow: number, { problems, notices }: Findings) {
  return (
    <p class="badges">
      <a
        class={`badge ${failedNow > 0 ? 'problem' : 'ok'}`}
        href={linkTo('failures', { ending: 'failed', since: '1h' })}
      >
        {atLeast === 0
          ? 'Messages: no permanent failure was seen in the last hour'
          : `Messages: at least ${count(atLeast)} failed permanently in the last hour, ${count(failedNow)} of them ` +
            'are failed now'}
      </a>{' '}
      <a class={`badge ${problems > 0 ? 'problem' : notices > 0 ? 'notice' : 'ok'}`} href={linkTo('health')}>
        {problems + notices === 0
          ? 'Database: doctor finds nothing to do'
          : `Database: doctor finds ${counted(problems, 'problem')} and ${counted(notices, 'notice')}`}
      </a>
    </p>
  );
}

function censusPart(census: readonly StatusRow[], countedAt: Date | undefined, now: Date) {
  if (countedAt === undefined) {
    return (
      <p class="empty">
        Nothing is counted yet: no walk of maintenance has ended. Call <code>startMaintenance</code> in a
        worker, or run <code>npx handle-once maintain</code>.{' '}
        <a href={manual('operations.md#maintenance')}>Maintenance</a>
      </p>
    );
  }
  const scopes = byScope(census);
  return [
    <p class="quiet">Counted by maintenance {shown(countedAt, now)}</p>,
    table({
      caption:
        scopes.length > MOST_SCOPES
          ? `Records of the first ${MOST_SCOPES} of ${count(scopes.length)} scopes`
          : 'Records by scope',
      ...{ now, rows: scopes.slice(0, MOST_SCOPES), empty: 'There were no records.' },
      columns: {
        scope: ({ scope }) => link(given(scope), 'messages', { scope }),
        pending: ({ pending }) => pending?.records ?? 0,
        succeeded: ({ succeeded }) => succeeded?.records ?? 0,
        failed: ({ failed }) => failed?.records ?? 0,
        abandoned: ({ pending }) => pending?.abandoned ?? 0,
        'oldest pending': ({ pending }) => pending?.oldestAt,
        'look at': ({ scope, failed }) =>
          failed && link('the failed ones', 'messages', { scope, phase: 'failed', since: '7d' }),
      },
    }),
  ];
}

/** One row for each scope, with its states by name. */
function byScope(census: readonly StatusRow[]) {
  type Row = { readonly scope: string } & Partial<Record<StatusRow['state'], StatusRow>>;
  const rows = new Map<string, Row>();
  for (const row of census)
    rows.set(row.scope, { ...rows.get(row.scope), scope: row.scope, [row.state]: row });
  return [...rows.values()];
}

function eventsPart(lastHour: Rates, lastDay: Rates, now: Date) {
  if (Object.values(lastDay).every((values) => sumOf(values) === 0)) {
    return (
      <p class="empty">
        No event was counted in the last 24 hours. Create <code>handleOnce</code> with{' '}
        <code>stats: true</code>: a worker writes its counts each minute, and when it is closed.{' '}
        <a href={manual('operations.md#rates')}>Rates</a>
      </p>
    );
  }
  const replays = sumOf(lastDay.replays);
  const deliveries = sumOf(lastDay.claims) + replays;
  return [
    <h3>Last hour, per minute</h3>,
    charts(lastHour, MINUTE_MS, now),
    <h3>Last 24 hours, per 15 minutes</h3>,
    charts(lastDay, QUARTER_MS, now),
    <p>
      Dedupe rate of the last 24 hours: {percent(replays, deliveries)} of {count(deliveries)} deliveries were
      answered from the record.
    </p>,
  ];
}

function charts(rates: Rates, eachMs: number, now: Date) {
  const all = Object.entries(rates).map(([name, values]) => chart(name, values, eachMs, now));
  return <div class="charts">{all}</div>;
}
