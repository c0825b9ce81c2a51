import * as handleOnceModule from 'handle-once';
import {
  AbortedError,
  type Failed,
  type FailedReason,
  HandleOnceError,
  InvalidKeyError,
  InvalidOptionsError,
  InvalidPayloadError,
  LeaseLostError,
  type Outcome,
  PayloadMismatchError,
  type PendingReason,
  type ResultOmitted,
  RetryableError,
  SchemaError,
  StoreError,
  TerminalError,
  UnhashablePayloadError,
} from 'handle-once';
import {
  answerOf,
  type Handled,
  MissingIdError,
  UnverifiedError,
  type WebhookAnswer,
} from 'handle-once/webhook';
import { expect, test } from 'vitest';

type Row = readonly [what: string, handled: Handled<unknown>, answer: WebhookAnswer];

const both = [false, true];

const OMITTED: Record<ResultOmitted, true> = {
  'not-serializable': true,
  'too-large': true,
  'not-stored': true,
  'refused-by-store': true,
};
const succeeded: Row[] = both.flatMap((replayed) => {
  const base = { state: 'succeeded', replayed, attempts: 3 } as const;
  const omitted = Object.keys(OMITTED) as ResultOmitted[];
  const outcomes: Outcome<unknown>[] = [
    { ...base, result: 1 },
    ...omitted.map((resultOmitted) => ({ ...base, result: undefined, resultOmitted })),
  ];
  return outcomes.map((outcome): Row => [`succeeded, replayed: ${replayed}`, { outcome }, { status: 200 }]);
});

const FAILED: Record<FailedReason, true> = {
  terminal: true,
  'invalid-payload': true,
  'attempts-exhausted': true,
};
const failed: Row[] = both.flatMap((replayed) =>
  (Object.keys(FAILED) as FailedReason[]).map((reason): Row => {
    const error = { name: 'Error', message: 'no' };
    const outcome: Failed = { state: 'failed', replayed, attempts: 3, reason, error };
    return [`failed: ${reason}, replayed: ${replayed}`, { outcome }, { status: 200 }];
  }),
);

const PENDING: Record<PendingReason, true> = {
  'in-flight': true,
  released: true,
  'lease-lost': true,
  unrecorded: true,
};
const WAITS: [retryAfterMs: number, retryAfterSeconds: number][] = [
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [300_000, 300],
];
const pending: Row[] = (Object.keys(PENDING) as PendingReason[]).flatMap((reason) =>
  WAITS.map(([retryAfterMs, retryAfterSeconds]): Row => {
    const outcome: Outcome<unknown> = { state: 'pending', reason, retryAfterMs, attempts: 3 };
    return [`pending: ${reason}, ${retryAfterMs} ms`, { outcome }, { status: 503, retryAfterSeconds }];
  }),
);

const errors: [thrown: unknown, status: WebhookAnswer['status']][] = [
  [new UnverifiedError('forged'), 401],
  [new MissingIdError('nowhere'), 400],
  [new InvalidKeyError('too long'), 400],
  [new PayloadMismatchError('scope', 'key'), 422],
  [new StoreError('unreachable', { retriable: true }), 503],
  [new StoreError('no permission', { retriable: false }), 503],
  [new StoreError('not in the encoding', { retriable: false, dataRefused: true }), 400],
  [new SchemaError('no tables'), 503],
  [new AbortedError('stopping'), 503],
  [new InvalidOptionsError('handleOnce', []), 500],
  [new UnhashablePayloadError('a cycle'), 500],
  [new LeaseLostError('lapsed'), 500],
  [new TerminalError('thrown outside of a handler'), 500],
  [new RetryableError('thrown outside of a handler'), 500],
  [new InvalidPayloadError('thrown outside of a handler'), 500],
  [new TypeError('a bug'), 500],
  ['not an error', 500],
  [undefined, 500],
];
const thrown: Row[] = errors.map(([error, status]) => {
  const what = error instanceof Error ? `${error.name}, ${error.message}` : String(error);
  return [`thrown: ${what}`, { thrown: error }, { status }];
});

test.each([...succeeded, ...failed, ...pending, ...thrown])('%s', (_, handled, answer) => {
  expect(answerOf(handled)).toEqual(answer);
});

test('the table has every error that the package exports', () => {
  const isError = (value: unknown): boolean =>
    typeof value === 'function' && value.prototype instanceof Error && value !== HandleOnceError;
  const exported = Object.values<unknown>(handleOnceModule).filter(isError);
  const inTable = new Set<unknown>(errors.map(([error]) => (error as Error | undefined)?.constructor));
  expect(exported.length).toBeGreaterThan(9);
  expect(exported.filter((type) => !inTable.has(type))).toEqual([]);
});

test('nothing but a settled delivery is answered 200', () => {
  const fine = [...pending, ...thrown].filter(([, handled]) => answerOf(handled).status === 200);
  expect(fine).toEqual([]);
});
