import { systemClock } from '../../../src/lib/clock.ts';
import { delay, endsWithin } from '../../../src/lib/wait.ts';
import { limitedClient } from '../../../src/store/postgres/limited-client.ts';
import { retryFailed, type RetryReport } from '../../operations/retry-failed.ts';
import { run } from '../../operations/run.ts';
import { changing } from '../bounded-client.ts';
import { Refused } from '../page.ts';
import type { Audit, ManyFilter } from './audit.ts';
import { pageStatements } from '../statements/pages.ts';

/** A count reads a large part of a large table. */
const REPLY_TIMEOUT_MS = 120_000;
const SIGN_EVERY_MS = 1_000;
const END_TRIES = 60;
/** A short one is over before its page is shown. */
const SHOWN_AT_ONCE_MS = 1_500;

export interface Many {
  readonly person: string;
  readonly filter: ManyFilter;
  /** How many the person has confirmed: where it is another number now, nothing is retried. */
  readonly confirm: number;
}

/** As `retryFailed` takes it. */
export function recordFilterOf({ since, until, ...filter }: ManyFilter) {
  return { ...filter, since: new Date(since), until: new Date(until) };
}

/**
 * Retries many records in this process, which goes on after this has resolved with the id of the action. How far it has
 * come is written down each second, so that every process can show it, also after this one has died. Throws `Refused`.
 */
export async function retryMany(audit: Audit, many: Many): Promise<string> {
  const { person, filter, confirm } = many;
  const { begin } = pageStatements(audit.databaseSchema);
  const parameters = [person, 'retry', filter.scope, null, JSON.stringify(filter), String(confirm)];
  const [row] = await changing(audit.client, (sql) => run(sql, begin, parameters));
  const id = row?.[0];
  if (typeof id !== 'string') throw new Refused('this form was sent before: the audit has what it did');
  await endsWithin(work(audit, id, many), SHOWN_AT_ONCE_MS);
  return id;
}

/** It never throws: where the database is out of reach for a minute, the action has no end on record. */
async function work({ client, databaseSchema }: Audit, id: string, many: Many): Promise<void> {
  const limited = limitedClient(client, REPLY_TIMEOUT_MS);
  const statements = pageStatements(databaseSchema);
  const stop = new AbortController();
  let done = 0;
  const sign = async (): Promise<void> => {
    const [row] = await run(limited, statements.progress, [id, String(done)]);
    if (row?.[0] !== 'false') stop.abort();
  };
  const signs = setInterval(() => void sign().catch(() => undefined), SIGN_EVERY_MS).unref();
  const outcome = await retryFailed({
    ...recordFilterOf(many.filter),
    ...{ sql: limited, databaseSchema, confirm: many.confirm, signal: stop.signal },
    onRetried: () => (done += 1),
  }).then(outcomeOf, (error: unknown) => (error as Error).name);
  clearInterval(signs);
  for (let tries = 0; tries < END_TRIES; tries += 1) {
    const isWritten = run(limited, statements.end, [id, String(done), outcome]).then(() => true);
    if (await isWritten.catch(() => false)) return;
    await delay(systemClock, SIGN_EVERY_MS, { keepsAlive: false });
  }
}

function outcomeOf(report: RetryReport): string {
  if (report.state === 'unconfirmed') return `unchanged: ${report.matching} match now`;
  const { state, retried, matching } = report;
  return state === 'finished' && retried < matching ? 'finished: the others had changed' : state;
}
