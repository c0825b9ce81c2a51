import { setTimeout as sleep } from 'node:timers/promises';
import { keyFault } from '../../../src/options/key.ts';
import { storedScopeFault } from '../../../src/options/scope.ts';
import { retryRecord } from '../retry-record.ts';
import { showRecord } from '../show-record.ts';
import { decideDeadLetter } from './decide-dead-letter.ts';
import type { DeadLetter, DeadLetterOutcome, KeptDeadLetterReason, OwnedDeadLetter } from './dead-letter.ts';
import type { RedriveSettings } from './options.ts';
import { InvalidOptionsError } from '../../../src/words/errors.ts';
import { run } from '../run.ts';
import { type ResolvedTables, tablesOf } from '../tables.ts';

/** What a redrive did; of a dry run, what it would do. */
export interface RedriveReport {
  /**
   * `finished`: there was no further dead letter. `stopped`: by `limit` or by `signal`; the next call continues from
   * there. `blocked`: there are others that this call could not get, such as those that another reader has.
   *
   * May grow in a minor version: a `switch` needs a `default`.
   */
  readonly state: 'finished' | 'stopped' | 'blocked';
  /** Whether nothing was changed. */
  readonly dryRun: boolean;
  /** Dead letters whose copies were sent to the source. */
  readonly sent: number;
  /** Dead letters that were removed because their messages have succeeded. */
  readonly removed: number;
  /** Dead letters that stay where they were. */
  readonly kept: number;
  /** How many were kept for each reason. A reason that never applied is absent. */
  readonly keptFor: Readonly<Partial<Record<KeptDeadLetterReason, number>>>;
}

/** Decides and does what becomes of dead letters, one after the other, and counts it. */
export function createRedriver(subject: string, options: RedriveSettings<never, never>) {
  const { sql, databaseSchema, replyTimeoutMs, limit, perSecond, dryRun, signal } = options;
  const tables = { sql, databaseSchema, replyTimeoutMs };
  const requireKnown = requireKnownScope(subject, tables);
  const pace = createPace(perSecond, signal);
  /** The messages that were sent; of a dry run, those that would be. */
  const sentMessages = new Set<string>();
  const counts = { sent: 0, removed: 0, kept: 0 };
  const keptFor: Partial<Record<KeptDeadLetterReason, number>> = {};
  /** Whether no further dead letter is to be taken. */
  const isOver = (): boolean => signal?.aborted === true || counts.sent >= limit;

  /** Retries, sends and removes, in this order: a crash at any point leaves the dead letter, the copy or both. */
  async function redrive(deadLetter: DeadLetter): Promise<DeadLetterOutcome | undefined> {
    if ('kept' in deadLetter) return kept(deadLetter.kept);
    const { scope, key, namesScope } = deadLetter;
    if (keyFault(key) !== undefined || storedScopeFault(scope) !== undefined) return kept('no-identity');
    if (!namesScope) await requireKnown(scope);
    const record = await showRecord({ ...tables, scope, key });
    const decision = decideDeadLetter(record, deadLetter);
    if (decision === 'retry' || decision === 'send')
      return await send(deadLetter, record?.attempts ?? 0, decision === 'retry');
    if (decision !== 'remove') return kept(decision);
    if (!dryRun) await deadLetter.remove();
    return { state: 'removed' };
  }

  /** Sends each message once: while the cause is there it fails again, and its new dead letters would have no end. */
  async function send(
    deadLetter: OwnedDeadLetter,
    attempts: number,
    retried: boolean,
  ): Promise<DeadLetterOutcome | undefined> {
    const { scope, key } = deadLetter;
    const message = JSON.stringify([scope, key]);
    if (sentMessages.has(message)) return kept('already-sent');
    if (deadLetter.unsendable !== undefined) return kept(deadLetter.unsendable);
    if (!dryRun) {
      if (!(await pace()) || !deadLetter.isOurs()) return undefined;
      // Unchanged: it was retried, forgotten or expired since it was looked at.
      if (retried && (await retryRecord({ ...tables, scope, key })).state === 'unchanged')
        return await redrive(deadLetter);
      if (!(await deadLetter.send(attempts))) return kept('send-refused');
    }
    sentMessages.add(message);
    if (!dryRun) await deadLetter.remove();
    return { state: 'sent', retried };
  }

  return {
    isOver,
    /** Undefined: it was not touched, since the redrive ends, or another reader may have it. */
    async take(deadLetter: DeadLetter): Promise<DeadLetterOutcome | undefined> {
      const outcome = await redrive(deadLetter);
      if (outcome === undefined) return undefined;
      counts[outcome.state] += 1;
      if (outcome.state === 'kept') keptFor[outcome.reason] = (keptFor[outcome.reason] ?? 0) + 1;
      return outcome;
    },
    /** `isBlocked`: whether dead letters are left that could not be taken. */
    report: (isBlocked: boolean): RedriveReport => ({
      state: isOver() ? 'stopped' : isBlocked ? 'blocked' : 'finished',
      dryRun,
      ...counts,
      keptFor,
    }),
  };
}

function kept(reason: KeptDeadLetterReason): DeadLetterOutcome {
  return { state: 'kept', reason };
}

/** At most so many turns a second, evenly: each call waits for its turn. False where the signal has aborted. */
function createPace(perSecond: number, signal: AbortSignal | undefined) {
  let nextAt = 0;
  return async (): Promise<boolean> => {
    const now = performance.now();
    const waitMs = nextAt - now;
    nextAt = Math.max(now, nextAt) + 1_000 / perSecond;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    return signal?.aborted !== true;
  };
}

/**
 * Throws `InvalidOptionsError` where no record has the scope of dead letters that name none: with a mistyped scope no
 * record is found, and the copies would run again. Looks once.
 */
function requireKnownScope(subject: string, tables: ResolvedTables) {
  let looking: Promise<void> | undefined;
  return (scope: string) => (looking ??= look(subject, tables, scope));
}

async function look(subject: string, tables: ResolvedTables, scope: string): Promise<void> {
  const { client, statements } = tablesOf(tables);
  const [row] = await run(client, statements.hasScope, [scope]);
  if (row?.[0] === 'true') return;
  const message =
    `is ${JSON.stringify(scope)}, but no record in schema ${tables.databaseSchema} has that scope. The dead ` +
    'letters themselves name no scope: with a wrong one, their messages would run again. None of them was sent. ' +
    'Compare the scope and the schema with the output of npx handle-once status';
  throw new InvalidOptionsError(subject, [{ field: 'scope', message }]);
}
