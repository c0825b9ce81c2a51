import { expect, test } from 'vitest';
import { inLockOrder, unlessLocked } from '../../src/store/postgres/locked-record.ts';

const LOCKED = Object.assign(new Error('lock timeout'), { code: '55P03' });
const REFUSED = Object.assign(new Error('connection lost'), { code: '08006' });
const requests = Array.from({ length: 40 }, (_, index) => index);

/** Sends that end in a later turn, and how many of them there were, and at once. */
function counted(answer: (request: number) => string) {
  const seen = { sent: 0, underWay: 0, most: 0 };
  async function send(some: readonly number[]): Promise<string[]> {
    if (some.length > 1) throw LOCKED;
    seen.sent += 1;
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    await new Promise((resolve) => setImmediate(resolve));
    seen.underWay -= 1;
    return some.map(answer);
  }
  return { seen, send };
}

test('requests beside a locked record are sent alone, a few at once, and answered in their order', async () => {
  const { seen, send } = counted((request) => {
    if (request === 3) throw LOCKED;
    return `reply ${request}`;
  });
  const replies = await unlessLocked(requests, send);
  expect(replies).toEqual(requests.map((request) => (request === 3 ? 'locked' : `reply ${request}`)));
  expect(seen).toMatchObject({ sent: 40, most: 5 });
});

test('after an error no more are sent', async () => {
  const { seen, send } = counted(() => {
    throw REFUSED;
  });
  await expect(unlessLocked(requests, send)).rejects.toBe(REFUSED);
  expect(seen.sent).toBe(5);
});

test('all statements lock records in the order of their keys', () => {
  const inOrder = inLockOrder(['b', 'c', 'a', 'B', 'd'].map((key) => ({ key })));
  expect(inOrder.map(({ key }) => key)).toEqual(['B', 'a', 'b', 'c', 'd']);
});
