import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createBatchLanes } from '../../adapters/sqs/batch-lanes.ts';
import { systemClock } from '../../src/adapter-kit.ts';

interface Item {
  readonly group: string | undefined;
  readonly id: number;
  readonly acknowledged: boolean;
  readonly pace: number;
  readonly bytes: number;
}

const MEBIBYTE = 1_048_576;

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function pause(pace: number): Promise<void> {
  for (let n = 0; n < pace; n += 1) await turn();
}

interface Ran {
  readonly item: Item;
  readonly batch: number;
}

/** Lanes whose messages do as they say: each is answered after its pace, and ends after its pace once more. */
function lanesOf(concurrency: number, size: number, waitMs: number) {
  const ran: Ran[] = [];
  const returned: Item[] = [];
  const unanswered = new Set<Ran>();
  const seen = { handlers: 0, isTwice: false };
  let batches = 0;
  const lanes = createBatchLanes<Item>({
    batching: { size, waitMs, handler: () => undefined },
    clock: systemClock,
    concurrency,
    groupOf: ({ group }) => group,
    bytesOf: ({ bytes }) => bytes,
    async run(item, { seat, onAnswered }) {
      if (seat?.index === 0) batches += 1;
      const own: Ran = { item, batch: batches };
      const others = [...unanswered].filter(({ batch }) => batch !== own.batch);
      seen.isTwice ||= others.some((other) => other.item.group === item.group && item.group !== undefined);
      ran.push(own);
      unanswered.add(own);
      seen.handlers = Math.max(seen.handlers, new Set([...unanswered].map(({ batch }) => batch)).size);
      await pause(item.pace);
      unanswered.delete(own);
      onAnswered?.(item.acknowledged);
      await pause(item.pace);
    },
    giveBack: (items) => {
      returned.push(...items);
    },
    onRoom: () => undefined,
  });
  return { lanes, ran, returned, seen };
}

function idsOf(items: readonly Item[]): number[] {
  return items.map(({ id }) => id).toSorted((a, b) => a - b);
}

function sizesOf(ran: readonly Ran[]): number[] {
  const sizes: number[] = [];
  for (const { batch } of ran) sizes[batch - 1] = (sizes[batch - 1] ?? 0) + 1;
  return sizes;
}

const anItem = fc.record({
  group: fc.constantFrom('a', 'b', undefined),
  acknowledged: fc.boolean(),
  pace: fc.integer({ min: 0, max: 3 }),
  bytes: fc.constantFrom(1, 3 * MEBIBYTE, 9 * MEBIBYTE),
});

test('every message runs or is returned, a group in one batch at a time, and nothing behind a kept one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anItem, { maxLength: 14 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      async (all, concurrency, size, isIdle) => {
        const items = all.map((one, id) => ({ ...one, id }));
        const { lanes, ran, returned, seen } = lanesOf(concurrency, size, 0);
        lanes.add(items);
        while (lanes.size() > 0) {
          if (isIdle) lanes.startNow();
          await turn();
        }
        expect(lanes.size()).toBe(0);
        expect(idsOf([...ran.map(({ item }) => item), ...returned])).toEqual(idsOf(items));
        expect(seen.handlers).toBeLessThanOrEqual(concurrency);
        expect(seen.isTwice).toBe(false);
        expect(Math.max(0, ...sizesOf(ran))).toBeLessThanOrEqual(size);
        expect(returned.filter(({ group }) => group === undefined)).toEqual([]);
        for (const group of ['a', 'b']) {
          const own = items.filter((one) => one.group === group);
          const ranOfGroup = ran.filter(({ item }) => item.group === group);
          expect(ranOfGroup.map(({ item }) => item)).toEqual(own.slice(0, ranOfGroup.length));
          const kept = ranOfGroup.find(({ item }) => !item.acknowledged);
          const isBehind = ({ batch }: Ran): boolean => kept !== undefined && batch > kept.batch;
          expect(ranOfGroup.filter(isBehind)).toEqual([]);
        }
      },
    ),
  );
});

function message(id: number, more: Partial<Item> = {}): Item {
  return { id, group: undefined, acknowledged: true, pace: 0, bytes: 1, ...more };
}

const few = (count: number, more: Partial<Item> = {}) =>
  Array.from({ length: count }, (_, id) => message(id, more));

test('a batch starts when it is full, when nothing more comes, and after its time', async () => {
  const { lanes, ran } = lanesOf(10, 3, 60);
  lanes.add(few(4));
  expect(sizesOf(ran)).toEqual([3]);
  lanes.startNow();
  expect(sizesOf(ran)).toEqual([3, 1]);
  lanes.add(few(2));
  await turn();
  expect(sizesOf(ran)).toEqual([3, 1]);
  await vi.waitUntil(() => ran.length === 6);
  expect(sizesOf(ran)).toEqual([3, 1, 2]);
});

test('what comes while all handlers are busy fills the next batch', async () => {
  const { lanes, ran } = lanesOf(1, 4, 0);
  lanes.add(few(4, { pace: 5 }));
  for (let n = 0; n < 4; n += 1) {
    lanes.add(few(1));
    lanes.startNow();
    await turn();
  }
  await vi.waitUntil(() => lanes.size() === 0);
  expect(sizesOf(ran)).toEqual([4, 4]);
});

test('a stop gives back what waits and what is gathered, and what runs goes on', async () => {
  const { lanes, ran, returned } = lanesOf(2, 2, 60_000);
  lanes.add(few(3, { group: 'a', pace: 2 }));
  lanes.add([message(3)]);
  lanes.clear();
  expect([sizesOf(ran), idsOf(returned)]).toEqual([[2], [2, 3]]);
  expect(lanes.size()).toBe(2);
  await Promise.all(lanes.running());
  expect([lanes.size(), ran.length]).toEqual([0, 2]);
});

test('a group whose messages are too large for one batch stays in order', async () => {
  const { lanes, ran, returned, seen } = lanesOf(2, 10, 0);
  lanes.add(few(3, { group: 'a', pace: 3, bytes: 5 * MEBIBYTE }));
  await vi.waitUntil(() => lanes.size() === 0);
  expect([sizesOf(ran), seen.isTwice, returned]).toEqual([[1, 1, 1], false, []]);
});

test.each([
  ['acknowledged does not wait for its call at the queue', true],
  ['kept waits for its call at the queue', false],
])('what comes of a group behind a message that is %s', async (_, acknowledged) => {
  const { lanes, ran } = lanesOf(2, 2, 0);
  lanes.add([message(0, { group: 'a', acknowledged, pace: 10 })]);
  lanes.startNow();
  await pause(13);
  lanes.add([message(1, { group: 'a' })]);
  lanes.startNow();
  await pause(1);
  expect(ran.length).toBe(acknowledged ? 2 : 1);
  await vi.waitUntil(() => lanes.size() === 0);
  expect(ran.length).toBe(2);
});
