import { expect, test } from 'vitest';
import { coalesce } from '../../src/lib/coalesce.ts';
import { Gate } from '../../src/lib/gate.ts';

test('a gate lets in as many as it has room for, and the others in their order', () => {
  const gate = new Gate(2);
  const inside: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) gate.enter(() => inside.push(name));
  expect(inside).toEqual(['a', 'b']);
  gate.leave();
  expect(inside).toEqual(['a', 'b', 'c']);
  gate.leave();
  gate.leave();
  gate.enter(() => inside.push('e'));
  expect(inside).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('many coalescers of one gate never have more statements under way than it has room for', async () => {
  const gate = new Gate(3);
  let underWay = 0;
  let most = 0;
  const send = async (requests: readonly { key: string }[]): Promise<string[]> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return requests.map(({ key }) => key);
  };
  const scopes = Array.from({ length: 50 }, () => coalesce({ send, gate, maxBatch: 2 }));
  const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
  const replies = await Promise.all(scopes.flatMap((ask) => keys.map((key) => ask({ key }))));
  expect(replies).toEqual(scopes.flatMap(() => keys));
  expect(most).toBe(3);
});

test('a gate that is shut lets no more in until it is opened', () => {
  const gate = new Gate(2);
  const inside: string[] = [];
  gate.enter(() => inside.push('a'));
  gate.setShut(true);
  for (const name of ['b', 'c']) gate.enter(() => inside.push(name));
  gate.leave();
  expect(inside).toEqual(['a']);
  gate.setShut(false);
  expect(inside).toEqual(['a', 'b', 'c']);
});
