import { endingOf, EventError, type Handled } from '../../src/adapter-kit.ts';
import { type Problem, problem } from './problem.ts';
import { bodyIn, isStoredResponse, type StoredResponse } from './stored-response.ts';

/** What a handler answered. */
export interface Produced<Own> {
  /** For the client of this request. */
  readonly own: Own;
  readonly status: number;
  /** For the record. Undefined where the status is not stored. */
  readonly stored: StoredResponse | undefined;
}

/** What the handler did in this call, if it ran. */
export interface Ran<Own> {
  readonly produced?: Produced<Own> | undefined;
  readonly thrown?: { readonly error: unknown } | undefined;
}

export type OwnType = 'lease-lost' | 'released' | 'stored' | 'unrecorded';

/** What the client is answered. */
export type Answer<Own> =
  /** The request is not recorded: it goes to the handler. */
  | { readonly kind: 'pass' }
  | { readonly kind: 'own'; readonly type: OwnType; readonly status: number; readonly own: Own }
  | { readonly kind: 'replay'; readonly stored: StoredResponse; readonly body: Buffer }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly error?: unknown }
  /** An error is thrown on, to be answered by what catches it. */
  | {
      readonly kind: 'threw';
      readonly type: 'failed' | 'lease-lost' | 'released' | 'threw' | 'unrecorded';
      readonly error: unknown;
    };

export interface AnswerTerms {
  readonly inFlightStatus: 202 | 409;
  readonly retryAfterSeconds: number;
  /** Whether what the handler did is undone unless it is on record. */
  readonly inTransaction: boolean;
}

/** The one table: how the handling of a request ended, and what the client is answered. */
export function answerOf<Own>(
  handled: Handled<StoredResponse>,
  ran: Ran<Own>,
  terms: AnswerTerms,
): Answer<Own> {
  const ending = endingOf(handled);
  switch (ending) {
    case 'succeeded':
      return own('stored', ran) ?? replayOf(handled);
    case 'released':
    case 'deferred':
      // Where an answer was to be stored, the COMMIT of its transaction was refused.
      if (ran.produced?.stored !== undefined)
        return { ...waiting('released', handled), ...thrownIn(handled) };
      return own('released', ran) ?? threw('released', ran) ?? waiting('released', handled);
    case 'failed':
      return threw(ending, ran) ?? { kind: 'problem', problem: problem(ending) };
    case 'lease-lost':
    case 'unrecorded':
      return (
        // What the handler did has happened, unless its transaction has undone it.
        (terms.inTransaction ? undefined : own(ending, ran)) ?? threw(ending, ran) ?? waiting(ending, handled)
      );
    case 'suspect':
      return waiting(ending, handled);
    case 'in-flight': {
      const { inFlightStatus: status, retryAfterSeconds } = terms;
      return { kind: 'problem', problem: problem(ending, { status, retryAfterSeconds }) };
    }
    case 'store-error': {
      const { retryAfterSeconds } = terms;
      return { kind: 'problem', problem: problem(ending, { retryAfterSeconds }), ...thrownIn(handled) };
    }
    case 'mismatch':
    case 'invalid-key':
    case 'aborted':
    case 'error':
      return { kind: 'problem', problem: problem(ending), ...thrownIn(handled) };
  }
}

function own<Own>(type: OwnType, { produced }: Ran<Own>): Answer<Own> | undefined {
  if (produced === undefined) return undefined;
  return { kind: 'own', type, status: produced.status, own: produced.own };
}

function threw(
  type: 'failed' | 'lease-lost' | 'released' | 'unrecorded',
  { thrown }: Ran<unknown>,
): Answer<never> | undefined {
  return thrown === undefined ? undefined : { kind: 'threw', type, error: thrown.error };
}

function waiting(ending: Problem['name'], handled: Handled<unknown>): Answer<never> {
  const retryAfterMs = handled.state === 'pending' ? handled.retryAfterMs : 0;
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return { kind: 'problem', problem: problem(ending, { retryAfterSeconds }) };
}

function replayOf(handled: Handled<StoredResponse>): Answer<never> {
  const result: unknown = handled.state === 'succeeded' ? handled.result : undefined;
  if (result === undefined) return { kind: 'problem', problem: problem('not-kept') };
  if (!isStoredResponse(result)) return { kind: 'problem', problem: problem('error') };
  const body = bodyIn(result);
  if (body !== undefined) return { kind: 'replay', stored: result, body };
  const headers = result.headers.filter(([name]) => name === 'location');
  return { kind: 'problem', problem: problem('not-kept', { headers }) };
}

function thrownIn(handled: Handled<unknown>): { readonly error?: unknown } {
  if (handled.state === 'refused') return { error: handled.error };
  if (handled.state !== 'pending' || handled.error === undefined) return {};
  return { error: new EventError(handled.error) };
}
