import { requireKnownScope } from './known-scope.ts';
import type { KeptLetterReason, Letter, LetterOutcome } from './letter.ts';
import type { RedriveSettings } from './options.ts';
import { createPace } from './pace.ts';
import { redriveLetter } from './redrive-letter.ts';

/** What a redrive did; of a dry run, what it would do. */
export interface RedriveReport {
  /** `finished`: no further letter was there. `stopped`: by `limit` or `signal`; the next call goes on from there. */
  readonly state: 'finished' | 'stopped';
  /** Whether nothing was changed. */
  readonly dryRun: boolean;
  /** Letters whose copies are at the source. */
  readonly sent: number;
  /** Letters that were removed, since their messages have succeeded. */
  readonly removed: number;
  /** Letters that are where they were. */
  readonly kept: number;
  /** How many were kept for each reason. A reason that never applied is absent. */
  readonly keptFor: Readonly<Partial<Record<KeptLetterReason, number>>>;
}

/** Takes the letters that an adapter has read, one after the other, and counts what became of them. */
export interface Redriver {
  /** Undefined: it was not touched. */
  take(letter: Letter): Promise<LetterOutcome | undefined>;
  /** Whether no further letter is to be taken. */
  readonly isOver: () => boolean;
  report(): RedriveReport;
}

export function createRedriver(options: RedriveSettings): Redriver {
  const { sql, databaseSchema, replyTimeoutMs, limit, dryRun, signal } = options;
  const tables = { sql, databaseSchema, replyTimeoutMs };
  const run = {
    tables,
    requireKnown: requireKnownScope(tables),
    pace: createPace(options.perSecond, signal),
    dryRun,
    sent: new Set<string>(),
  };
  const counts = { sent: 0, removed: 0, kept: 0 };
  const keptFor: Partial<Record<KeptLetterReason, number>> = {};
  const isOver = (): boolean => signal?.aborted === true || counts.sent >= limit;
  return {
    isOver,
    async take(letter) {
      const outcome = await redriveLetter(letter, run);
      if (outcome === undefined) return undefined;
      counts[outcome.state] += 1;
      if (outcome.state === 'kept') keptFor[outcome.reason] = (keptFor[outcome.reason] ?? 0) + 1;
      return outcome;
    },
    report: () => ({ state: isOver() ? 'stopped' : 'finished', dryRun, ...counts, keptFor }),
  };
}
