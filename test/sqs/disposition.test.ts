import { describe, expect, test } from 'vitest';
import type { PendingReason } from 'handle-once';
import { type Disposition, dispositionOf, type OnFailed } from 'handle-once/sqs';
import { failures, pendingOutcomes, successes, THROWN, type Thrown } from '../support/handled.ts';

const DEAD_LETTERS = { deadLetterQueueUrl: 'https://sqs.example/dead' };
const EVERY_ON_FAILED: OnFailed[] = ['delete', 'leave', DEAD_LETTERS];

const DELETE: Disposition = { action: 'delete' };
const UNTOUCHED: Disposition = { action: 'leave' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', ...DEAD_LETTERS };

describe.each([false, true])('replayed: %s', (replayed) => {
  test('a success is deleted, whatever happens to failures', () => {
    for (const outcome of successes(replayed)) {
      for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(DELETE);
    }
  });

  test.each(failures(replayed))('a failure ($reason) goes where onFailed says', (outcome) => {
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ outcome }, onFailed));
    expect(dispositions).toEqual([DELETE, UNTOUCHED, DEAD_LETTER]);
  });
});

const LATER: Disposition = { action: 'leave', visibleAfterMs: 1_234 };
const PENDING: Record<PendingReason, Disposition> = {
  'in-flight': LATER,
  released: LATER,
  suspect: LATER,
  'lease-lost': UNTOUCHED,
  unrecorded: UNTOUCHED,
};

test('a failure stays in the queue unless onFailed says otherwise', () => {
  for (const outcome of failures(false)) expect(dispositionOf({ outcome })).toEqual(UNTOUCHED);
});

test.each(pendingOutcomes(1_234))('pending ($reason) is left, whatever happens to failures', (outcome) => {
  const expected = PENDING[outcome.reason];
  for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(expected);
});

const NEVER_SILENT: Thrown[] = ['mismatch', 'invalid key', 'unhashable payload'];
test.each(NEVER_SILENT)(
  '%s is never deleted in silence: dead-lettered if there is a queue for it, else left',
  (what) => {
    const thrown = THROWN[what];
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ thrown }, onFailed));
    expect(dispositions).toEqual([UNTOUCHED, UNTOUCHED, DEAD_LETTER]);
  },
);

const all = Object.keys(THROWN) as Thrown[];
test.each(all.filter((what) => !NEVER_SILENT.includes(what) && what !== 'aborted'))(
  '%s is left untouched',
  (what) => {
    const thrown = THROWN[what];
    for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ thrown }, onFailed)).toEqual(UNTOUCHED);
  },
);

test('what was aborted before it started is visible at once', () => {
  const thrown = THROWN.aborted;
  for (const onFailed of EVERY_ON_FAILED) {
    expect(dispositionOf({ thrown }, onFailed)).toEqual({ action: 'leave', visibleAfterMs: 0 });
  }
});
