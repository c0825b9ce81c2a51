import { expect, test, vi } from 'vitest';
import { askPatiently } from '../../adapters/kafka/redrive/ask-patiently.ts';

const refused = (retriable: boolean) => Object.assign(new Error('loading'), { retriable });

test('a broker that loads its groups is asked again', async () => {
  const ask = vi.fn().mockRejectedValueOnce(refused(true)).mockResolvedValue('offsets');
  expect(await askPatiently(ask)).toBe('offsets');
  expect(ask).toHaveBeenCalledTimes(2);
});

test('any other error is thrown at once', async () => {
  const ask = vi.fn().mockRejectedValue(refused(false));
  await expect(askPatiently(ask)).rejects.toThrow('loading');
  expect(ask).toHaveBeenCalledTimes(1);
});
