import { RetryableError } from 'handle-once';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { numbered, upTo, useFixture } from './support/fixture.ts';

const { setup } = useFixture();

test('a message whose backoff has ended does not wait for the rest of a neighbour’s fetch', async () => {
  const group = await setup({ partitions: 2 });
  await group.produce(...numbered(400, 0), ...numbered(1, 1));
  const order: string[] = [];
  let tries = 0;
  await group.start(async ({ partition, message }) => {
    order.push(`${partition}-${message.offset}`);
    if (partition === 0) await sleep(10);
    else if ((tries += 1) <= 3) throw new RetryableError('not yet', { retryAfterMs: 100 });
  });
  await group.caughtUp();
  const last = order.lastIndexOf('1-0');
  // The fetch of the neighbour takes four seconds: three waits of 100 ms are over long before.
  expect(last).toBeLessThan(300);
  expect(order.filter((place) => place.startsWith('0-'))).toEqual(upTo(400).map((n) => `0-${n}`));
});
