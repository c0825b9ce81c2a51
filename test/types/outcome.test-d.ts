import { expectTypeOf, test } from 'vitest';
import type {
  FailedReason,
  JsonForm,
  Outcome,
  PendingReason,
  ResultOmitted,
  StoredError,
} from '../../src/index.ts';

interface Receipt {
  readonly id: string;
  readonly at: Date;
}

interface KeptReceipt {
  readonly id: string;
  readonly at: string;
}

declare const outcome: Outcome<Receipt>;

test('an outcome narrows on its state', () => {
  switch (outcome.state) {
    case 'succeeded':
      expectTypeOf(outcome.replayed).toEqualTypeOf<boolean>();
      expectTypeOf(outcome.result).toEqualTypeOf<Receipt | JsonForm<Receipt> | undefined>();
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
    expectTypeOf(outcome.result).toEqualTypeOf<Receipt | JsonForm<Receipt>>();
    if (outcome.replayed) expectTypeOf(outcome.result).toEqualTypeOf<KeptReceipt>();
    else expectTypeOf(outcome.result).toEqualTypeOf<Receipt>();
  } else {
    expectTypeOf(outcome.resultOmitted).toEqualTypeOf<ResultOmitted>();
    expectTypeOf(outcome.result).toEqualTypeOf<Receipt | undefined>();
  }
});

test('a first run has what the handler returned, and a replay what JSON kept of it', () => {
  if (outcome.state !== 'succeeded') return;
  if (outcome.replayed) {
    expectTypeOf(outcome.result).toEqualTypeOf<KeptReceipt | undefined>();
    // @ts-expect-error -- it is a text
    const at: Date | undefined = outcome.result?.at;
    expectTypeOf(at).toEqualTypeOf<Date | undefined>();
  } else {
    expectTypeOf(outcome.result).toEqualTypeOf<Receipt>();
    expectTypeOf(outcome.resultOmitted).toEqualTypeOf<ResultOmitted | undefined>();
  }
});

test('a result that JSON cannot keep is in no replay', () => {
  const counted = {} as Outcome<Map<string, number>>;
  if (counted.state !== 'succeeded') return;
  if (counted.replayed) expectTypeOf(counted.result).toEqualTypeOf<undefined>();
  else expectTypeOf(counted.result).toEqualTypeOf<Map<string, number>>();
});

test('an outcome of something is one of anything, also where its type is not known yet', () => {
  expectTypeOf<Outcome<Receipt>>().toExtend<Outcome<unknown>>();
  expectTypeOf<Outcome<never>>().toExtend<Outcome<Receipt>>();
  function resultOf<R>(given: Outcome<R>): R | JsonForm<R> | undefined {
    return given.state === 'succeeded' ? given.result : undefined;
  }
  expectTypeOf(resultOf(outcome)).toEqualTypeOf<Receipt | JsonForm<Receipt> | undefined>();
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
    'in-flight' | 'released' | 'deferred' | 'suspect' | 'lease-lost' | 'unrecorded'
  >();
  expectTypeOf<ResultOmitted>().toEqualTypeOf<
    'not-serializable' | 'too-large' | 'not-stored' | 'refused-by-store'
  >();
});
