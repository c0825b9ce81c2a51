import type { PendingReason } from 'handle-once';
import { type Disposition, dispositionOf, type Handled, type OnFailed } from 'handle-once/kafka';
import { expect, test } from 'vitest';
import { failures, pendingOutcomes, successes, THROWN, type Thrown } from '../support/handled.ts';

const DEAD_LETTERS = {
  deadLetterTopic: 'orders-dead',
  producer: { send: () => Promise.resolve() },
};

const COMMIT: Disposition = { action: 'commit' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', ...DEAD_LETTERS };
const withhold = (reason: string, retryAfterMs?: number) =>
  ({ action: 'withhold', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as Disposition;

type Row = [what: string, handled: Handled<unknown>, commit: Disposition, deadLetter: Disposition];

const replays = [false, true];

const succeeded: Row[] = replays
  .flatMap(successes)
  .map((outcome) => [`succeeded, replayed: ${outcome.replayed}`, { outcome }, COMMIT, COMMIT]);

const failed: Row[] = replays
  .flatMap(failures)
  .map((outcome) => [
    `failed: ${outcome.reason}, replayed: ${outcome.replayed}`,
    { outcome },
    COMMIT,
    DEAD_LETTER,
  ]);

/** Each reason, and the wait of a message whose record says 300,000 ms. */
const PENDING: Record<PendingReason, number> = {
  released: 300_000,
  suspect: 300_000,
  'in-flight': 1_000,
  'lease-lost': 1_000,
  unrecorded: 1_000,
};
const pending: Row[] = [0, 999, 1_000, 1_001, 300_000].flatMap(pendingOutcomes).map((outcome) => {
  const { reason, retryAfterMs } = outcome;
  const expected = withhold(reason, Math.min(retryAfterMs, PENDING[reason]));
  return [`pending: ${reason}, for ${retryAfterMs} ms`, { outcome }, expected, expected];
});

type Dispositions = [commit: Disposition, deadLetter: Disposition];
const both = (expected: Disposition): Dispositions => [expected, expected];
const ERRORS: Record<Thrown, Dispositions> = {
  mismatch: [withhold('mismatch'), DEAD_LETTER],
  'invalid key': [withhold('invalid-key'), DEAD_LETTER],
  'store unreachable': both(withhold('store-error')),
  'store refused': both(withhold('store-error')),
  'data refused': both(withhold('store-error')),
  'damaged record': both(withhold('error')),
  'no tables': both(withhold('store-error')),
  aborted: both(withhold('aborted', 0)),
  'invalid options': both(withhold('error')),
  'unhashable payload': [withhold('invalid-key'), DEAD_LETTER],
  'lost lease': both(withhold('error')),
  'terminal error': both(withhold('error')),
  'retryable error': both(withhold('error')),
  'invalid payload': both(withhold('error')),
  bug: both(withhold('error')),
  text: both(withhold('error')),
  nothing: both(withhold('error')),
};
const thrown: Row[] = (Object.entries(ERRORS) as [Thrown, Dispositions][]).map(([what, dispositions]) => [
  `thrown: ${what}`,
  { thrown: THROWN[what] },
  ...dispositions,
]);

test.each([...succeeded, ...failed, ...pending, ...thrown])('%s', (_, handled, commit, deadLetter) => {
  const dispositions = (['commit', DEAD_LETTERS] satisfies OnFailed[]).map((onFailed) =>
    dispositionOf(handled, onFailed),
  );
  expect(dispositions).toEqual([commit, deadLetter]);
});

test('a failure is never committed in silence where there is a dead-letter topic', () => {
  const silent = [...failed, ...thrown].filter(([, handled]) => {
    return dispositionOf(handled, DEAD_LETTERS).action === 'commit';
  });
  expect(silent).toEqual([]);
});
