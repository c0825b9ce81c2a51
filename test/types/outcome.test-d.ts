import { expectTypeOf, test } from 'vitest';
import type { FailedReason, Outcome, PendingReason, ResultOmitted, StoredError } from '../../src/index.ts';

interface Receipt {
  readonly id: string;
}

declare const outcome: Outcome<Receipt>;

test('an outcome narrows on its state', () => {
  switch (outcome.state) {
    case 'succeeded':
      expectTypeOf(outcome.replayed).toEqualTypeOf<boolean>();
      expectTypeOf(outcome.result).toEqualTypeOf<Receipt | undefined>();
      expectTypeOf(outcome).not.toHaveProperty('error');
      break;
    case 'failed':
      expectTypeOf(outcome.reason).toEqualTypeOf<FailedReason>();
      expectTypeOf(outcome.error).toEqualTypeOf<StoredError>();
      expectTypeOf(outcome).not.toHaveProperty('result');
      break;
    case 'pending':
      expectTypeOf(outcome.reason).toEqualTypeOf<PendingReason>();
      expectTypeOf(outcome.retryAfterMs).toEqualTypeOf<number>();
      expectTypeOf(outcome.error).toEqualTypeOf<StoredError | undefined>();
      expectTypeOf(outcome).not.toHaveProperty('result');
      break;
    default:
      expectTypeOf(outcome).toBeNever();
  }
  expectTypeOf(outcome.attempts).toEqualTypeOf<number>();
});

test('the result is certain once it was not omitted', () => {
  if (outcome.state !== 'succeeded') return;
  if (outcome.resultOmitted === undefined) {
    expectTypeOf(outcome.result).toEqualTypeOf<Receipt>();
  } else {
    expectTypeOf(outcome.resultOmitted).toEqualTypeOf<ResultOmitted>();
    expectTypeOf(outcome.result).toEqualTypeOf<Receipt | undefined>();
  }
});

test('the reason tells the states apart where it is unique', () => {
  if (outcome.state === 'succeeded') return;
  if (outcome.reason === 'terminal' || outcome.reason === 'invalid-payload') {
    expectTypeOf(outcome.state).toEqualTypeOf<'failed'>();
  }
  if (outcome.reason === 'in-flight') {
    expectTypeOf(outcome.state).toEqualTypeOf<'pending'>();
  }
});

test('the words for a state, a reason and an omission are these and no others', () => {
  expectTypeOf<Outcome<Receipt>['state']>().toEqualTypeOf<'succeeded' | 'failed' | 'pending'>();
  expectTypeOf<FailedReason>().toEqualTypeOf<
    'terminal' | 'attempts-exhausted' | 'deaths-exhausted' | 'invalid-payload'
  >();
  expectTypeOf<PendingReason>().toEqualTypeOf<
    'in-flight' | 'released' | 'suspect' | 'lease-lost' | 'unrecorded'
  >();
  expectTypeOf<ResultOmitted>().toEqualTypeOf<
    'not-serializable' | 'too-large' | 'not-stored' | 'refused-by-store'
  >();
});
