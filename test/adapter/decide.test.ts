import type { PendingReason } from 'handle-once';
import { expect, test } from 'vitest';
import { type Decision, decide, type OnFailed } from '../../src/adapter/decide.ts';
import { type Handled, refused } from '../../src/words/endings.ts';
import { failures, pendingOutcomes, successes, THROWN, type Thrown } from '../support/handled.ts';

const LETTER = { to: 'orders-dead', send: () => Promise.resolve({}) };
const EVERY_CHOICE = ['acknowledge', 'keep', LETTER] satisfies OnFailed[];

const ACKNOWLEDGE: Decision = { action: 'acknowledge' };
type KeptReason = Extract<Decision, { action: 'keep' }>['reason'];
const keep = (reason: KeptReason, retryAfterMs?: number): Decision =>
  retryAfterMs === undefined ? { action: 'keep', reason } : { action: 'keep', reason, retryAfterMs };

/** What is done where `onFailed` is to acknowledge, to keep, and to dead-letter. */
type Row = readonly [what: string, handled: Handled<unknown>, ...decisions: [Decision, Decision, Decision]];

const always = (decision: Decision) => [decision, decision, decision] as const;
const replays = [false, true];

const succeeded = replays
  .flatMap(successes)
  .map((outcome): Row => [`succeeded, replayed: ${outcome.replayed}`, outcome, ...always(ACKNOWLEDGE)]);

const failed = replays
  .flatMap(failures)
  .map((outcome): Row => [
    `failed: ${outcome.reason}, replayed: ${outcome.replayed}`,
    outcome,
    ACKNOWLEDGE,
    keep('failed'),
    { action: 'dead-letter', destination: LETTER, reason: 'failed' },
  ]);

const PENDING: Record<PendingReason, number> = {
  'in-flight': 1_234,
  released: 1_234,
  deferred: 1_234,
  suspect: 1_234,
  'lease-lost': 1_234,
  unrecorded: 1_234,
};
const pending = pendingOutcomes(1_234).map((outcome): Row => {
  const { reason } = outcome;
  return [`pending: ${reason}`, outcome, ...always(keep(reason, PENDING[reason]))];
});

const refusal = (reason: 'mismatch' | 'invalid-key') =>
  [keep(reason), keep(reason), { action: 'dead-letter', destination: LETTER, reason }] as const;

const ERRORS: Record<Thrown, readonly [Decision, Decision, Decision]> = {
  mismatch: refusal('mismatch'),
  'invalid key': refusal('invalid-key'),
  'unhashable payload': refusal('invalid-key'),
  'store unreachable': always(keep('store-error')),
  'store refused': always(keep('store-error')),
  'data refused': always(keep('store-error')),
  'no tables': always(keep('store-error')),
  aborted: always(keep('aborted', 0)),
  'damaged record': always(keep('error')),
  'invalid options': always(keep('error')),
  'lost lease': always(keep('error')),
  'terminal error': always(keep('error')),
  'retryable error': always(keep('error')),
  'invalid payload': always(keep('error')),
  bug: always(keep('error')),
  text: always(keep('error')),
  nothing: always(keep('error')),
};
const thrown = (Object.entries(ERRORS) as [Thrown, (typeof ERRORS)[Thrown]][]).map(
  ([what, decisions]): Row => [`thrown: ${what}`, refused(THROWN[what]), ...decisions],
);

test.each([...succeeded, ...failed, ...pending, ...thrown])('%s', (_, handled, ...decisions) => {
  expect(EVERY_CHOICE.map((onFailed) => decide(handled, onFailed))).toEqual(decisions);
});

test('nothing but a success is acknowledged in silence where there are dead letters', () => {
  const silent = [...failed, ...pending, ...thrown].filter(
    ([, handled]) => decide(handled, LETTER).action === 'acknowledge',
  );
  expect(silent).toEqual([]);
});
