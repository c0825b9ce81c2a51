import { isDate } from 'node:util/types';
import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { satisfying } from '../../src/options/parse-options.ts';
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
  /** First claimed then or later. Default: 24 hours ago. */
  readonly since?: Date | undefined;
  /** First claimed before then; later than `since`. Default: until now. */
  readonly until?: Date | undefined;
}

const DAY_MS = 86_400_000;
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

const IS_MOMENT = (value: unknown): boolean => isDate(value) && value.getTime() >= 0;
const NOT_EMPTY = (value: unknown): boolean => typeof value === 'string' && value !== '';

function moment() {
  return satisfying<Date>(IS_MOMENT, 'a Date since 1970');
}

/** What bounds the records by their errors and the time of their first claim, in any state. */
export const errorFields = lazily(() => ({
  ...tablesFields(),
  scope: z.optional(scopeField()),
  error: z.optional(satisfying<string>(NOT_EMPTY, 'the name or the code of an error')),
  since: z._default(moment(), () => new Date(Date.now() - DAY_MS)),
  until: z.optional(moment()),
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
  readonly since: Date;
  readonly until?: Date | undefined;
}

/** No record is first claimed both before and after a time. */
function spansTime({ since, until }: Times): boolean {
  return until === undefined || since < until;
}

const SPANS_NO_TIME = {
  path: ['until'],
  error: 'must be later: the time ends before it begins',
};

/** What the options must be together. */
export const filterChecks = lazily(
  () => [z.refine<Times>(spansTime, SPANS_NO_TIME), z.refine<Times & Kinds>(agrees, AGREES_NOT)] as const,
);

/** The options as they apply. */
export type ResolvedFilter = z.output<z.ZodMiniObject<ReturnType<typeof filterFields>>>;

/** The first six parameters of the statements that look for records. */
export function filterParameters(filter: ResolvedFilter): (string | null)[] {
  const { scope, state, phase, error, since, until } = filter;
  const errorText = error === undefined ? undefined : JSON.stringify(error);
  return [scope, state, phase, errorText, since.getTime(), until?.getTime()].map((value) =>
    value === undefined ? null : String(value),
  );
}
