import { RetryableError } from 'handle-once';
import { expect, onTestFinished, test } from 'vitest';

/** The process warnings of what is made. */
async function warningsOf(make: () => unknown): Promise<(string | undefined)[]> {
  const warnings: (Error & { readonly code?: string })[] = [];
  const listener = (warning: Error) => warnings.push(warning);
  process.on('warning', listener);
  onTestFinished(() => {
    process.off('warning', listener);
  });
  make();
  await new Promise(setImmediate);
  return warnings.map(({ name, code, message }) => `${name} ${code ?? ''} ${message}`);
}

test.each<[string, object, string]>([
  [
    'a wait by another name',
    { retryAfter: 60 },
    'retryAfter is not an option; the wait is given as retryAfterMs',
  ],
  ['a wait as text', { retryAfterMs: '60' }, 'retryAfterMs must be a number of milliseconds, got string'],
  [
    'a wait that is NaN',
    { retryAfterMs: Number.NaN },
    'retryAfterMs must be a number of milliseconds, got NaN',
  ],
  [
    'a text for counted',
    { counted: 'no' },
    'counted must be true or false, got string, so the attempt counts',
  ],
])('%s is told once, and nothing is thrown', async (_, options, message) => {
  const make = () => new RetryableError('rate limited', options);
  expect(await warningsOf(make)).toEqual([
    expect.stringContaining(`HandleOnceWarning RETRYABLE_ERROR_OPTIONS RetryableError: ${message}`),
  ]);
  expect(await warningsOf(make)).toEqual([]);
});

test('what is right is not told', async () => {
  const waits = [
    {},
    { retryAfterMs: 0 },
    { retryAfterMs: -5 },
    { retryAfterMs: Infinity },
    { counted: false },
    { cause: new Error() },
  ];
  expect(await warningsOf(() => waits.map((options) => new RetryableError('later', options)))).toEqual([]);
});
