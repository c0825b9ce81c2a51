import * as z from 'zod/mini';
import { endsWithin } from '../../src/lib/wait.ts';
import { lazily } from '../../src/lib/lazily.ts';
import { abortSignal, NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../src/options/parse-options.ts';
import { createReporter, type Reporter } from '../../src/reporting/reporter.ts';
import { quoteIdentifier } from '../../src/postgres/identifier.ts';
import { limitedClient } from '../../src/store/postgres/limited-client.ts';
import { maintenanceStatements } from './statements/maintenance.ts';
import { prepareArchive } from './archive.ts';
import { forgetHistory } from './forget-history.ts';
import { giveUpAfterStop } from './give-up-after-stop.ts';
import type { WalkFigures } from './events.ts';
import {
  isReportedFirst,
  maintenanceFields,
  type MaintenanceOptions,
  PURGED_UNREPORTED,
  type ResolvedMaintenance,
} from './options.ts';
import { requireFit } from './require-fit.ts';
import { takeWalk } from './runner.ts';
import type { Tally } from './census.ts';
import { clientOf } from './tables.ts';
import { walk, type WalkEnd } from './walk.ts';

/** Options of `maintain`. */
export interface MaintainOptions extends MaintenanceOptions {
  /** Ends the call after this many milliseconds; the next one continues from there. Default: no limit. */
  readonly maxMs?: number | undefined;
  /** Ends the call once it has deleted this many records. Default: no limit. */
  readonly maxPurged?: number | undefined;
  /**
   * Ends the call after the current step; the next one continues from there. After 3 s, a step without an answer is
   * given up with `StoreError`.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a call of `maintain` did. */
export type MaintenanceReport =
  /** The walk has come to its end, and its figures are on record. */
  | (WalkFigures & { readonly state: 'finished' })
  | {
      /** The walk continues from here: by the next call, or by the runner that has taken it over. */
      readonly state: 'stopped';
      /**
       * Records that the walk has deleted so far, by all its runners. `taken-over`: 0, the other runner has the count.
       */
      readonly purged: number;
      /** `limit`: `maxMs` or `maxPurged`. `taken-over`: this process was suspended for a minute. */
      readonly reason: 'limit' | 'aborted' | 'taken-over';
    }
  /** Another process walks. */
  | { readonly state: 'busy' };

/** A step takes milliseconds; after this time another process may walk. */
const STEP_TIMEOUT_MS = 60_000;
/** For what is only a courtesy to the next runner, after an error. */
const LEAVE_MS = 1_000;
/** Until the next walk of `startMaintenance` is due, after one of `maintain`. */
const REST_MS = 3_600_000;
const LIMIT = 2_147_483_647;
/** Ten years. */
const MAX_MS = 315_360_000_000;

export const maintainOptions = lazily(() =>
  z
    .strictObject(
      {
        ...maintenanceFields(),
        maxMs: z.optional(wholeNumber('milliseconds', 1, MAX_MS)),
        maxPurged: z.optional(wholeNumber('records', 1, LIMIT)),
        signal: z.optional(abortSignal()),
      },
      NOT_AN_OBJECT,
    )
    .check(z.refine(isReportedFirst, PURGED_UNREPORTED)),
);

/**
 * Walks through the records once: deletes what has expired, and counts the rest. For a job of cron or Kubernetes; in a
 * worker use `startMaintenance`.
 *
 * It needs no index and holds no lock for longer than a few milliseconds. Of many calls at once, in all processes, only
 * one walks. It begins where the last one stopped or died. A record whose lease or backoff runs is never touched.
 *
 * Tables of another version are refused with `SchemaError`, unless they are one version newer: then it gives the
 * warning `NEWER_TABLES` and walks, as in a rolling deploy.
 *
 * Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { maintain } from 'handle-once/operations';
 *
 * const report = await maintain({ sql, maxMs: 600_000 });
 * console.log(report);
 * ```
 */
export async function maintain(options: MaintainOptions): Promise<MaintenanceReport> {
  const {
    maxMs = Infinity,
    maxPurged = Infinity,
    signal,
    ...resolved
  } = parseOptions('maintain', maintainOptions(), options);
  const endsAt = performance.now() + maxMs;
  const walked = await walkOnce(resolved, {
    isForced: true,
    restMs: REST_MS,
    complain: createReporter({ isObserved: false, rowOf: () => undefined }).complain,
    signal,
    mayGoOn: (purged) => signal?.aborted !== true && performance.now() < endsAt && purged < maxPurged,
  });
  if (walked === undefined) return { state: 'busy' };
  const { end, figures, historyError } = walked;
  if (historyError !== undefined) throw historyError;
  if (end === 'finished') return { state: 'finished', ...figures };
  const stopped = signal?.aborted === true ? 'aborted' : 'limit';
  return { state: 'stopped', purged: figures.purged, reason: end === 'lost' ? 'taken-over' : stopped };
}

export interface Walked {
  readonly end: WalkEnd;
  /** Why the history of records that are gone could not be deleted. The walk is on record all the same. */
  readonly historyError?: Error | undefined;
  readonly figures: WalkFigures;
  readonly tally: Tally;
}

export interface WalkOnce {
  readonly isForced: boolean;
  readonly restMs: number;
  /** Gets the warning of tables that are one version newer. */
  readonly complain: Reporter['complain'];
  readonly mayGoOn: (purged: number) => boolean;
  /** Once it aborts `mayGoOn` is false, and what gives no answer is given up. */
  readonly signal: AbortSignal | undefined;
}

/** Undefined: another process walks, or the next walk is not due. */
export function walkOnce(options: ResolvedMaintenance, once: WalkOnce): Promise<Walked | undefined> {
  return giveUpAfterStop(takeAndWalk(options, once), once.signal);
}

async function takeAndWalk(
  { sql, databaseSchema, replyTimeoutMs, archive, ...times }: ResolvedMaintenance,
  { isForced, restMs, complain, mayGoOn }: WalkOnce,
): Promise<Walked | undefined> {
  const client = limitedClient(clientOf({ sql, replyTimeoutMs }), STEP_TIMEOUT_MS);
  await requireFit(client, databaseSchema, complain);
  const statements = maintenanceStatements(databaseSchema);
  const runner = await takeWalk(client, statements, isForced);
  if (runner === undefined) return undefined;
  const { tally } = runner.from;
  try {
    const end = await walk({
      ...times,
      client,
      runner,
      mayGoOn,
      table: `${quoteIdentifier(databaseSchema)}.records`,
      maintenance: `${quoteIdentifier(databaseSchema)}.maintenance`,
      failures: `${quoteIdentifier(databaseSchema)}.failures`,
      archive: archive ? await prepareArchive(client, databaseSchema, statements.months) : undefined,
    });
    const purged = end === 'finished' ? await runner.finish(restMs) : await runner.leave();
    const walked = { tally, figures: { purged: purged ?? 0, ...tally.sums() } };
    if (purged === undefined) return { ...walked, end: 'lost' };
    if (end !== 'finished') return { ...walked, end };
    const historyError = await errorOf(
      forgetHistory({
        client,
        databaseSchema,
        olderThanMs: times.purgeAbandonedAfterMs,
        mayGoOn: () => mayGoOn(0),
      }),
    );
    return { ...walked, end, historyError };
  } catch (error) {
    // Another process need not wait for the lease. Where the database is out of reach, it has to.
    await endsWithin(
      runner.leave().catch(() => undefined),
      LEAVE_MS,
    );
    throw error;
  }
}

function errorOf(done: Promise<void>): Promise<Error | undefined> {
  return done.then(
    () => undefined,
    (error: unknown) => error as Error,
  );
}
