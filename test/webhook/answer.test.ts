import {
  answerOf,
  type Handled,
  MissingIdError,
  UnverifiedError,
  VerifyConfigError,
  type WebhookAnswer,
} from 'handle-once/webhook';
import { expect, test } from 'vitest';
import { failures, pendingOutcomes, successes, THROWN, type Thrown } from '../support/handled.ts';

type Row = readonly [what: string, handled: Handled<unknown>, answer: WebhookAnswer];

const both = [false, true];

const succeeded: Row[] = both
  .flatMap(successes)
  .map((outcome) => [`succeeded, replayed: ${outcome.replayed}`, { outcome }, { status: 200 }]);

const failed: Row[] = both
  .flatMap(failures)
  .map((outcome) => [
    `failed: ${outcome.reason}, replayed: ${outcome.replayed}`,
    { outcome },
    { status: 200 },
  ]);

const WAITS: [retryAfterMs: number, retryAfterSeconds: number][] = [
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [300_000, 300],
];
const pending: Row[] = WAITS.flatMap(([retryAfterMs, retryAfterSeconds]) =>
  pendingOutcomes(retryAfterMs).map((outcome): Row => [
    `pending: ${outcome.reason}, ${retryAfterMs} ms`,
    { outcome },
    { status: 503, retryAfterSeconds },
  ]),
);

const STATUS: Record<Thrown, WebhookAnswer['status']> = {
  mismatch: 422,
  'invalid key': 400,
  'store unreachable': 503,
  'store refused': 503,
  'data refused': 400,
  'damaged record': 500,
  'no tables': 503,
  aborted: 503,
  'invalid options': 500,
  'unhashable payload': 400,
  'lost lease': 500,
  'terminal error': 500,
  'retryable error': 500,
  'invalid payload': 500,
  bug: 500,
  text: 500,
  nothing: 500,
};
const thrown: Row[] = [
  ['thrown: unverified', { thrown: new UnverifiedError('forged') }, { status: 401 }],
  ['thrown: no secret', { thrown: new VerifyConfigError('no secret') }, { status: 500 }],
  ['thrown: no id', { thrown: new MissingIdError('nowhere') }, { status: 400 }],
  ...(Object.entries(STATUS) as [Thrown, WebhookAnswer['status']][]).map(([what, status]): Row => [
    `thrown: ${what}`,
    { thrown: THROWN[what] },
    { status },
  ]),
];

test.each([...succeeded, ...failed, ...pending, ...thrown])('%s', (_, handled, answer) => {
  expect(answerOf(handled)).toEqual(answer);
});

test('nothing but a settled delivery is answered 200', () => {
  const fine = [...pending, ...thrown].filter(([, handled]) => answerOf(handled).status === 200);
  expect(fine).toEqual([]);
});
