import { type Failed, PayloadMismatchError } from 'handle-once';
import { describe, expect, it, test } from 'vitest';
import { deadLetterFacts } from '../../src/adapter/dead-letter.ts';
import { type Handled, refused } from '../../src/words/endings.ts';

const failedWith = (name: string, message: string): Failed => ({
  state: 'failed',
  reason: 'terminal',
  replayed: false,
  attempts: 3,
  error: { name, message },
});

const factsOf = (handled: Handled<unknown>) => deadLetterFacts('billing', 'order-1', handled);

describe('what a dead letter says of its failure', () => {
  it('is name and message of the stored error, and the attempts', () => {
    const facts = { scope: 'billing', key: 'order-1', errorText: 'CardError: card is blocked', attempts: 3 };
    expect(factsOf(failedWith('CardError', 'card is blocked'))).toEqual(facts);
  });

  it('is those of what handleOnce threw, and no attempt', () => {
    const { errorText, attempts } = factsOf(refused(new PayloadMismatchError('billing', 'order-1')));
    expect(errorText).toMatch(/^PayloadMismatchError: key "order-1" in scope "billing" is on record/);
    expect(attempts).toBe(0);
  });

  it('is empty where there is no error', () => {
    const outcome = { state: 'succeeded', replayed: false, attempts: 1, result: 1 } as const;
    expect(factsOf(outcome)).toMatchObject({ errorText: '', attempts: 1 });
  });
});

test.each([
  ['at most 1,000 characters', 'x'.repeat(2_000)],
  ['well-formed where it is cut through a character', 'x'.repeat(1_000 - 'Error: x'.length) + '😀'.repeat(9)],
  ['well-formed where the error is not', '\ud83d'],
])('it is %s', (_, message) => {
  const { errorText } = factsOf(failedWith('Error', message));
  expect(errorText).toHaveLength(Math.min(1_000, 'Error: '.length + message.length));
  expect(errorText.isWellFormed()).toBe(true);
});
