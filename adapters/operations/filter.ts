import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { satisfying, wholeNumber } from '../../src/options/parse-options.ts';
import type { RecordPhase, RecordView } from './record.ts';
import { scopeField, tablesFields, type TablesOptions } from './tables.ts';

/** Which records. A record must match all that is given. */
export interface RecordFilter extends TablesOptions {
  /** Default: all scopes. */
  readonly scope?: string | undefined;
  /** Default: all states. */
  readonly state?: RecordView['state'] | undefined;
  /** What a delivery would find now. Default: all phases. */
  readonly phase?: RecordPhase | undefined;
  /** The name or the code of its error, as `RecordView` has it. Default: all, with and without an error. */
  readonly error?: string | undefined;
  /** First claimed at most so many milliseconds ago. Default 24 hours. */
  readonly sinceMs?: number | undefined;
  /** First claimed more than so many milliseconds ago; less than `sinceMs`. Default: until now. */
  readonly untilMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const MAX_MS = 3_650 * DAY_MS;
const STATES = ['pending', 'succeeded', 'failed'] as const;
export const PHASES = [
  'running',
  'lapsed',
  'backing-off',
  'waiting',
  'succeeded',
  'failed',
  'expired',
] as const;

const NOT_EMPTY = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** What bounds the records by their errors and the time of their first claim, in any state. */
export const errorFields = lazily(() => ({
  ...tablesFields(),
  scope: z.optional(scopeField()),
  error: z.optional(satisfying<string>(NOT_EMPTY, 'the name or the code of an error')),
  sinceMs: z._default(wholeNumber('milliseconds', 1, MAX_MS), DAY_MS),
  untilMs: z.optional(wholeNumber('milliseconds', 1, MAX_MS)),
}));

export const filterFields = lazily(() => ({
  ...errorFields(),
  state: z.optional(z.enum(STATES, { error: "must be 'pending', 'succeeded' or 'failed'" })),
  phase: z.optional(z.enum(PHASES, { error: `must be one of '${PHASES.join("', '")}'` })),
}));

type Kinds = Pick<RecordFilter, 'state' | 'phase'>;

/** A record that has expired can have any state. */
function agrees({ state, phase }: Kinds): boolean {
  if (state === undefined || phase === undefined || phase === 'expired') return true;
  return state === (phase === 'succeeded' || phase === 'failed' ? phase : 'pending');
}

const AGREES_NOT = {
  path: ['phase'],
  error: 'does not occur with this state: leave out one of the two',
};

interface Times {
  readonly sinceMs: number;
  readonly untilMs?: number | undefined;
}

/** No record is first claimed both before and after a time. */
function spansTime({ sinceMs, untilMs = 0 }: Times): boolean {
  return untilMs < sinceMs;
}

const SPANS_NO_TIME = {
  path: ['untilMs'],
  error: 'must be less than sinceMs: there is no time between them',
};

/** What the options must be together. */
export const filterChecks = lazily(
  () => [z.refine<Times>(spansTime, SPANS_NO_TIME), z.refine<Times & Kinds>(agrees, AGREES_NOT)] as const,
);

/** The options as they apply. */
export type ResolvedFilter = z.output<z.ZodMiniObject<ReturnType<typeof filterFields>>>;

/** The first six parameters of the statements that look for records. */
export function filterParameters(filter: ResolvedFilter): (string | null)[] {
  const { scope, state, phase, error, sinceMs, untilMs } = filter;
  const errorText = error === undefined ? undefined : JSON.stringify(error);
  return [scope, state, phase, errorText, sinceMs, untilMs].map((value) =>
    value === undefined ? null : String(value),
  );
}
