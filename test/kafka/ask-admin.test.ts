import { expect, test, vi } from 'vitest';
import { askCommitted, askEnds } from '../../adapters/kafka/client/ask-admin.ts';

const refused = (retriable: boolean) => Object.assign(new Error('loading'), { retriable });
const ends = [{ partition: 0, offset: '1', low: '0', high: '1' }];

test('a broker that loads its groups is asked again', async () => {
  const fetchTopicOffsets = vi.fn().mockRejectedValueOnce(refused(true)).mockResolvedValue(ends);
  expect(await askEnds({ fetchTopicOffsets }, 'orders')).toBe(ends);
  expect(fetchTopicOffsets).toHaveBeenCalledTimes(2);
});

test('a client that does not know a topic yet is asked again', async () => {
  const orders = { topic: 'orders', partitions: [{ partition: 0, offset: '-1' }] };
  const invoices = { topic: 'invoices', partitions: [{ partition: 0, offset: '3' }] };
  const fetchOffsets = vi
    .fn()
    .mockResolvedValueOnce([orders, { topic: 'invoices', partitions: [] }])
    .mockResolvedValueOnce([invoices])
    .mockResolvedValue([invoices, orders]);
  const answer = await askCommitted({ fetchOffsets }, 'workers', ['orders', 'invoices']);
  expect(answer).toEqual([orders, invoices]);
  expect(fetchOffsets).toHaveBeenCalledTimes(3);
});

test('any other error is thrown at once', async () => {
  const fetchTopicOffsets = vi.fn().mockRejectedValue(refused(false));
  await expect(askEnds({ fetchTopicOffsets }, 'orders')).rejects.toThrow('loading');
  expect(fetchTopicOffsets).toHaveBeenCalledTimes(1);
});

test('what is asked for a generation that is over is not asked again', async () => {
  const fetchTopicOffsets = vi.fn().mockResolvedValue([]);
  await expect(askEnds({ fetchTopicOffsets }, 'orders', () => true)).rejects.toThrow(
    'no partition of orders',
  );
  expect(fetchTopicOffsets).toHaveBeenCalledTimes(1);
});
