import { expect, test } from 'vitest';
import { createSlots, type Slots } from '../../adapters/kafka/fetch/slots.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for some slots. Tells which were given, in order, and what gives each back. */
function ask(slots: Slots, count: number, line = 'a') {
  const given: number[] = [];
  const giveBack: (() => void)[] = [];
  for (let index = 0; index < count; index += 1) {
    void slots.take(line).then((back) => {
      given.push(index);
      giveBack[index] = back;
    });
  }
  return { given, giveBack };
}

test.each([1, 3])(
  'of %i slots no more are given at once, in the order of the requests of a line',
  async (count) => {
    const { given, giveBack } = ask(createSlots(count), 7);
    for (let back = 0; back < 7; back += 1) {
      await turns();
      expect(given).toEqual([...Array(Math.min(7, count + back)).keys()]);
      giveBack[back]?.();
    }
  },
);

test('a slot that comes back goes to the one who waits, not to one who asks later', async () => {
  const slots = createSlots(1);
  const { given, giveBack } = ask(slots, 2);
  await turns();
  giveBack[0]?.();
  const later = ask(slots, 1);
  await turns();
  expect([given, later.given]).toEqual([[0, 1], []]);
});

test('a slot comes back once, however often it is given back', async () => {
  const slots = createSlots(1);
  const { giveBack } = ask(slots, 1);
  await turns();
  giveBack[0]?.();
  giveBack[0]?.();
  const { given, giveBack: next } = ask(slots, 3);
  await turns();
  giveBack[0]?.();
  await turns();
  expect(given).toEqual([0]);
  next[0]?.();
  await turns();
  expect(given).toEqual([0, 1]);
});

test('slots that were not waited for are free again, and not more than there were', async () => {
  const slots = createSlots(2);
  const { giveBack } = ask(slots, 2);
  await turns();
  for (const back of giveBack) back();
  const { given } = ask(slots, 3);
  await turns();
  expect(given).toEqual([0, 1]);
});

test('lines have turns: who waits in a short one does not wait for the end of a long one', async () => {
  const slots = createSlots(1);
  const long = ask(slots, 5, 'long');
  const short = ask(slots, 2, 'short');
  const other = ask(slots, 1, 'other');
  const order: string[] = [];
  for (let back = 0; back < 8; back += 1) {
    await turns();
    for (const [name, { given, giveBack }] of Object.entries({ long, short, other })) {
      const [index] = given.splice(0);
      if (index === undefined) continue;
      order.push(`${name} ${index}`);
      giveBack[index]?.();
      break;
    }
  }
  expect(order).toEqual([
    ...['long 0', 'long 1', 'short 0', 'other 0', 'long 2', 'short 1', 'long 3', 'long 4'],
  ]);
});
