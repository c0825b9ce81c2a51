import { expect, test, vi } from 'vitest';
import { produceCopy } from '../../adapters/kafka/log/produce.ts';

test('a header without a value is produced as an empty one: the client cannot write it', async () => {
  const send = vi.fn(() => Promise.resolve());
  const headers = { trace: null, tags: ['a', null], kept: Buffer.from('1') } as never;
  await produceCopy({ send }, 'dead', { key: null, value: null, headers });
  const written = { trace: '', tags: ['a', ''], kept: Buffer.from('1') };
  expect(send).toHaveBeenCalledExactlyOnceWith({
    topic: 'dead',
    acks: -1,
    messages: [{ key: null, value: null, headers: written }],
  });
});
