import {
  AbortedError,
  type FailedReason,
  HandleOnceError,
  InvalidKeyError,
  InvalidOptionsError,
  InvalidPayloadError,
  LeaseLostError,
  type Outcome,
  PayloadMismatchError,
  type PendingReason,
  RetryableError,
  SchemaError,
  StoreError,
  TerminalError,
  UnhashablePayloadError,
} from 'handle-once';
import * as handleOnceModule from 'handle-once';
import { type Disposition, dispositionOf, type Handled, type OnFailed } from 'handle-once/kafka';
import { expect, test } from 'vitest';

const DEAD_LETTERS = {
  deadLetterTopic: 'orders-dead',
  producer: { send: () => Promise.resolve() },
};

const COMMIT: Disposition = { action: 'commit' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', ...DEAD_LETTERS };
const withhold = (reason: string, retryAfterMs?: number) =>
  ({ action: 'withhold', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as Disposition;

type Row = [what: string, handled: Handled<unknown>, commit: Disposition, deadLetter: Disposition];

const base = { attempts: 3 };
const error = { name: 'Error', message: 'no' };
const replays = [false, true];

const succeeded: Row[] = replays.flatMap((replayed) => {
  const outcomes: Outcome<unknown>[] = [
    { ...base, state: 'succeeded', replayed, result: 1 },
    { ...base, state: 'succeeded', replayed, result: undefined, resultOmitted: 'too-large' },
  ];
  return outcomes.map((outcome): Row => [`succeeded, replayed: ${replayed}`, { outcome }, COMMIT, COMMIT]);
});

const FAILED: Record<FailedReason, true> = {
  terminal: true,
  'attempts-exhausted': true,
  'invalid-payload': true,
};
const failed: Row[] = (Object.keys(FAILED) as FailedReason[]).flatMap((reason) =>
  replays.map((replayed): Row => {
    const outcome: Outcome<unknown> = { ...base, state: 'failed', replayed, reason, error };
    return [`failed: ${reason}, replayed: ${replayed}`, { outcome }, COMMIT, DEAD_LETTER];
  }),
);

/** Each reason, and the wait of a message whose record says 300,000 ms. */
const PENDING: Record<PendingReason, number> = {
  released: 300_000,
  'in-flight': 1_000,
  'lease-lost': 1_000,
  unrecorded: 1_000,
};
const pending: Row[] = (Object.entries(PENDING) as [PendingReason, number][]).flatMap(([reason, longest]) =>
  [0, 999, 1_000, 1_001, 300_000].map((retryAfterMs): Row => {
    const outcome: Outcome<unknown> = { ...base, state: 'pending', reason, retryAfterMs };
    const expected = withhold(reason, Math.min(retryAfterMs, longest));
    return [`pending: ${reason}, for ${retryAfterMs} ms`, { outcome }, expected, expected];
  }),
);

const both = (thrown: unknown, expected: Disposition): [unknown, Disposition, Disposition] => [
  thrown,
  expected,
  expected,
];
const errors: [thrown: unknown, commit: Disposition, deadLetter: Disposition][] = [
  [new PayloadMismatchError('scope', 'key'), withhold('mismatch'), DEAD_LETTER],
  [new InvalidKeyError('key must not be empty'), withhold('invalid-key'), DEAD_LETTER],
  both(new StoreError('down', { retriable: true }), withhold('store-error')),
  both(new StoreError('refused', { retriable: false }), withhold('store-error')),
  both(new SchemaError('no tables'), withhold('store-error')),
  both(new AbortedError('the partition is lost'), withhold('aborted', 0)),
  both(new InvalidOptionsError('handleOnce', []), withhold('error')),
  both(new UnhashablePayloadError('a cycle'), withhold('error')),
  both(new LeaseLostError('lapsed'), withhold('error')),
  both(new TerminalError('thrown outside of a handler'), withhold('error')),
  both(new RetryableError('thrown outside of a handler'), withhold('error')),
  both(new InvalidPayloadError('thrown outside of a handler'), withhold('error')),
  both(new TypeError('a bug'), withhold('error')),
  both('not an error', withhold('error')),
  both(undefined, withhold('error')),
];
const thrown: Row[] = errors.map(([error, ...dispositions]) => [
  `thrown: ${error instanceof Error ? error.name : String(error)}`,
  { thrown: error },
  ...dispositions,
]);

test.each([...succeeded, ...failed, ...pending, ...thrown])('%s', (_, handled, commit, deadLetter) => {
  const dispositions = (['commit', DEAD_LETTERS] satisfies OnFailed[]).map((onFailed) =>
    dispositionOf(handled, onFailed),
  );
  expect(dispositions).toEqual([commit, deadLetter]);
});

test('the table has every error that the package exports', () => {
  const isError = (value: unknown): boolean =>
    typeof value === 'function' && value.prototype instanceof Error && value !== HandleOnceError;
  const exported = Object.values(handleOnceModule).filter(isError);
  const inTable = new Set<unknown>(errors.map(([error]) => (error as Error | undefined)?.constructor));
  expect(exported.filter((type) => !inTable.has(type))).toEqual([]);
});

test('a failure is never committed in silence where there is a dead-letter topic', () => {
  const silent = [...failed, ...thrown].filter(([, handled]) => {
    return dispositionOf(handled, DEAD_LETTERS).action === 'commit';
  });
  expect(silent).toEqual([]);
});
