import { expect, it, vi } from 'vitest';
import { gatherTick } from '../../bench/caching/gather-tick.ts';

it('sends what is asked in one tick together, and does not wait for replies before it sends the next', async () => {
  const replies: (() => void)[] = [];
  const send = vi.fn(
    (keys: string[]) =>
      new Promise<string[]>((resolve) => {
        replies.push(() => {
          resolve(keys.map((key) => `${key}!`));
        });
      }),
  );
  const ask = gatherTick(send);
  const first = Promise.all([ask('a'), ask('b')]);
  await vi.waitFor(() => {
    expect(replies).toHaveLength(1);
  });
  const second = ask('c');
  await vi.waitFor(() => {
    expect(replies).toHaveLength(2);
  });
  expect(send.mock.calls).toEqual([[['a', 'b']], [['c']]]);
  for (const reply of replies) reply();
  expect([await first, await second]).toEqual([['a!', 'b!'], 'c!']);
});

it('tells all of a tick that it could not be sent', async () => {
  const ask = gatherTick<string, string>(() => Promise.reject(new Error('closed')));
  const asked = await Promise.allSettled([ask('a'), ask('b')]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
