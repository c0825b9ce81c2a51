import { expect, it, vi } from 'vitest';
import { InvalidOptionsError, UnhashablePayloadError } from '../../src/index.ts';
import { memoryBench } from './support/bench.ts';

const bench = memoryBench();
const rejects = (): Promise<never> => Promise.reject(new Error('later'));

it.each([
  ['that rejects', rejects, InvalidOptionsError],
  ['that resolves', () => Promise.resolve('part'), InvalidOptionsError],
  ['that returns undefined', () => undefined, UnhashablePayloadError],
])('a fingerprint function %s is refused before anything runs', async (_, fingerprint, refusal) => {
  const handler = vi.fn();
  await expect(bench.handleOnce({ fingerprint })('key', 'body', handler)).rejects.toBeInstanceOf(refusal);
  expect(handler).not.toHaveBeenCalled();
});

it('a backoff function that rejects is reported, and the default applies', async () => {
  const onEvent = vi.fn();
  const handleOnce = bench.handleOnce({ backoff: rejects as never, onEvent });
  const outcome = await handleOnce('key', 'body', () => Promise.reject(new Error('no')));
  expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
});
