import * as z from 'zod/mini';
import { abortSignal, callback, flag, wholeNumber } from '../../../src/options/parse-options.ts';
import { isPromise } from '../../../src/lib/is-promise.ts';
import { InvalidOptionsError } from '../../../src/words/errors.ts';
import { scopeField, tablesFields, type TablesOptions } from '../tables.ts';

/** Options of a redrive, for any broker. */
export interface RedriveOptions<DeadLetter, Redriven> extends TablesOptions {
  /**
   * The whole scope, with what adapters add: `billing>kafka:workers`. Dead letters that name another scope are kept.
   * Those that name none, because the queue's own redrive policy moved them, are assumed to have this scope: if no
   * record has it, the call throws `InvalidOptionsError` before it sends one of them. Default: the scope that each
   * names.
   */
  readonly scope?: string | undefined;
  /** The most dead letters to send, 1 to 1,000,000,000. Default: all. */
  readonly limit?: number | undefined;
  /** The most dead letters to send in a second, 1 to 10,000. Default 50. They are sent one after the other. */
  readonly perSecond?: number | undefined;
  /** Whether it only reports what it would do: nothing is retried, sent or removed. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Ends the redrive after the current dead letter. The next call continues from there. */
  readonly signal?: AbortSignal | undefined;
  /** Which dead letters to redrive. It must return true or false at once. Default: all. */
  readonly filter?: ((deadLetter: DeadLetter) => boolean) | undefined;
  /** Called after each dead letter. A promise that it returns is awaited. An error that it throws ends the redrive. */
  readonly onDeadLetter?: ((deadLetter: Redriven) => unknown) | undefined;
}

/** Their fields, whatever the broker. */
export function redriveFields<DeadLetter, Redriven>() {
  const filter = 'a function of one dead letter that returns true or false';
  return {
    ...tablesFields(),
    scope: z.optional(scopeField()),
    limit: z._default(wholeNumber('dead letters', 1, 1_000_000_000), Infinity),
    perSecond: z._default(wholeNumber('dead letters', 1, 10_000), 50),
    dryRun: z._default(flag(), false),
    signal: z.optional(abortSignal()),
    filter: z.optional(callback<(deadLetter: DeadLetter) => boolean>(filter)),
    onDeadLetter: z.optional(callback<(deadLetter: Redriven) => unknown>('a function of one dead letter')),
  };
}

/** Dead letters go elsewhere than where they are: to another `queue`, or `topic`. */
export function goElsewhere(what: string) {
  return z.refine<{ readonly from: string; readonly to?: string | undefined }>(
    ({ from, to }) => from !== to,
    {
      path: ['to'],
      error: `must be another ${what} than from: the one that the dead letters came from`,
    },
  );
}

/** The options as they apply. */
export type RedriveSettings<DeadLetter, Redriven> = z.output<
  z.ZodMiniObject<ReturnType<typeof redriveFields<DeadLetter, Redriven>>>
>;

/** What a filter says. Throws `InvalidOptionsError` where that is neither true nor false, such as a promise. */
export function isWanted<DeadLetter>(
  subject: string,
  filter: ((deadLetter: DeadLetter) => boolean) | undefined,
  deadLetter: DeadLetter,
): boolean {
  if (filter === undefined) return true;
  const wanted: unknown = filter(deadLetter);
  if (typeof wanted === 'boolean') return wanted;
  const returned = isPromise(wanted) ? 'a promise' : typeof wanted;
  const message = `must return true or false at once, but returned ${returned}`;
  throw new InvalidOptionsError(subject, [{ field: 'filter', message }]);
}
