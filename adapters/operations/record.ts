import type { FailedReason, ResultOmitted, StoredError } from '../../src/words/outcome.ts';
import { deathsExhausted, isStoredError } from '../../src/payload/stored-error.ts';
import { workerOf } from '../../src/lib/worker-id.ts';
import { KeptSteps } from '../../src/payload/kept-steps.ts';
import type { DatabaseRow } from '../../src/postgres/database-client.ts';
import { NO_TOKEN } from './statements/inspect.ts';

/**
 * What a delivery would find now.
 *
 * - `running`: a worker holds its lease.
 * - `lapsed`: its worker gave no sign for a lease. The next delivery takes it over.
 * - `backing-off`: it was released, and its backoff runs.
 * - `waiting`: it is free to run, and waits for a delivery.
 * - `succeeded`, `failed`: it answers deliveries.
 * - `expired`: it counts as absent. The next delivery runs.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type RecordPhase =
  | 'running'
  | 'lapsed'
  | 'backing-off'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'expired';

/** A step that has ended. It has no result: a result can hold data that only the application should read. */
export interface StepView {
  /** As the handler has named it. */
  readonly name: string;
  /** By the clock of the database, except for clock drift since the claim. */
  readonly endedAt: Date;
  /** Why its result is not on record: an attempt that asks for it fails permanently. */
  readonly resultOmitted?: ResultOmitted;
}

/** A record, for people. It has no payload: records keep none. */
export interface RecordView {
  /** The scope of its consumer. */
  readonly scope: string;
  /** Of its message. */
  readonly key: string;
  /** As recorded, expired or not. */
  readonly state: 'pending' | 'succeeded' | 'failed';
  /** What a delivery would find now. */
  readonly phase: RecordPhase;
  /** Attempts so far, including a running one; interrupted ones do not count. */
  readonly attempts: number;
  /** Attempts that ended with an error. */
  readonly failures: number;
  /** How many of the last attempts in a row lost their worker. */
  readonly deaths: number;
  /** Its first claim. */
  readonly createdAt: Date;
  /** The last claim that was owned: since when it runs, or when its last attempt began. */
  readonly beganAt: Date;
  /**
   * The process of that claim: 8 hexadecimal digits. `explainRecord` says which that is. Undefined with
   * `deaths-exhausted`, and after its retry: the claim that found the last death has overwritten it.
   */
  readonly worker?: string;
  /** The end of its lease, its backoff or its retention. */
  readonly liveUntil: Date;
  /** Why it failed permanently. */
  readonly failedReason?: FailedReason;
  /** What its handler threw last. Undefined once it has succeeded, and where the column is damaged. */
  readonly error?: StoredError;
  /** Why it holds no result. */
  readonly resultOmitted?: ResultOmitted;
  /** What its handler returned, as JSON text: only if requested. */
  readonly result?: string;
  /** The steps that have ended, in order. Undefined without steps, and in lists. */
  readonly steps?: readonly StepView[];
}

export function toView(row: DatabaseRow): RecordView {
  const [scope, key, state, phase, attempts, failures, deaths, createdMs, ...rest] = row;
  const [beganMs, liveUntilMs, token, failedReason, resultOmitted, error, result, steps] = rest;
  const isOfFinder = failedReason === 'deaths-exhausted' || token === NO_TOKEN;
  return {
    scope: scope ?? '',
    key: key ?? '',
    state: state as RecordView['state'],
    phase: phase as RecordPhase,
    attempts: Number(attempts),
    failures: Number(failures),
    deaths: Number(deaths),
    createdAt: new Date(Number(createdMs)),
    beganAt: new Date(Number(beganMs)),
    ...(isOfFinder ? {} : { worker: workerOf(token ?? '') }),
    liveUntil: new Date(Number(liveUntilMs)),
    ...given('failedReason', failedReason as FailedReason | null | undefined),
    ...given('error', errorOf({ state, failedReason, attempts: Number(attempts) }, error)),
    ...given('resultOmitted', resultOmitted as ResultOmitted | null | undefined),
    ...given('result', result),
    ...given('steps', stepsOf(steps, Number(createdMs))),
  };
}

/** Undefined too where the column is damaged. */
function stepsOf(text: string | null | undefined, createdMs: number): readonly StepView[] | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    return new KeptSteps(text).list().map(({ name, ms, omitted }) => ({
      name,
      endedAt: new Date(createdMs + ms),
      ...given('resultOmitted', omitted),
    }));
  } catch {
    return undefined;
  }
}

export function given<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): Partial<Readonly<Record<Name, Value>>> {
  return value === null || value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

interface Ended {
  readonly state: string | null | undefined;
  readonly failedReason: string | null | undefined;
  readonly attempts: number;
}

/** As the outcome has it. A succeeded record keeps the error of an earlier attempt: `explainRecord` shows it. */
export function errorOf(
  { state, failedReason, attempts }: Ended,
  json: string | null | undefined,
): StoredError | undefined {
  if (state === 'succeeded') return undefined;
  const error = storedError(json);
  return failedReason === 'deaths-exhausted' ? deathsExhausted(attempts, error) : error;
}

/** Undefined too where the column is damaged. */
export function storedError(json: string | null | undefined): StoredError | undefined {
  const error = fromColumn(json);
  return isStoredError(error) ? error : undefined;
}

/** Undefined too where the column is damaged. */
export function fromColumn(json: string | null | undefined): unknown {
  if (json === null || json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
