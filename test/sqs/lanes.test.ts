import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLanes, type RunningItem } from '../../adapters/sqs/lanes.ts';
import type { LaneStep } from '../../adapters/shared/lanes.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

interface Item {
  readonly group: string | undefined;
  readonly id: number;
  /** How its handling goes: it is acknowledged or kept, and its handler returns before that is known or not. */
  readonly acknowledged: boolean;
  readonly returns: boolean;
  /** How many turns of the event loop each step takes. */
  readonly pace: number;
}

async function pause(pace: number): Promise<void> {
  for (let turn = 0; turn < pace; turn += 1) await turns();
}

/** Lanes whose items do as they say, with the order in which they ran. */
function lanesOf(concurrency: number) {
  const ran: Item[] = [];
  const returned: Item[] = [];
  let handling = 0;
  let most = 0;
  const lanes = createLanes<Item>({
    concurrency,
    groupOf: ({ group }) => group,
    async run(item, { step, onHandled }: RunningItem) {
      await pause(item.pace);
      if (step !== undefined && !(await step.mayRun)) {
        step.onEnded(false);
        returned.push(item);
        return;
      }
      handling += 1;
      most = Math.max(most, handling);
      ran.push(item);
      await pause(item.pace);
      if (item.returns) step?.onReturned();
      handling -= 1;
      onHandled();
      await pause(item.pace);
      step?.onEnded(item.acknowledged);
      await pause(item.pace);
    },
    giveBack: (items) => {
      returned.push(...items);
    },
    onRoom: () => undefined,
  });
  return { lanes, ran, returned, most: () => most };
}

const item = fc.record({
  group: fc.constantFrom('a', 'b', undefined),
  acknowledged: fc.boolean(),
  returns: fc.boolean(),
  pace: fc.integer({ min: 0, max: 3 }),
});

test('every message runs or is returned, in the order of its group, and none behind one that is kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, concurrency) => {
        const items = all.map((one, id) => ({ ...one, id }));
        const { lanes, ran, returned, most } = lanesOf(concurrency);
        lanes.add(items);
        while (lanes.size() > 0) await turns();
        expect([...ran, ...returned].map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
          items.map(({ id }) => id),
        );
        expect(most()).toBeLessThanOrEqual(concurrency);
        expect(ran.filter(({ group }) => group === undefined)).toHaveLength(
          items.filter(({ group }) => group === undefined).length,
        );
        for (const group of ['a', 'b']) {
          const own = items.filter((one) => one.group === group);
          const firstKept = own.findIndex(({ acknowledged }) => !acknowledged);
          expect(ran.filter((one) => one.group === group)).toEqual(
            firstKept === -1 ? own : own.slice(0, firstKept + 1),
          );
        }
      },
    ),
  );
});

test('the next of a group has started when the handler before it has returned, and waits for its turn', async () => {
  const steps: (LaneStep | undefined)[] = [];
  const lanes = createLanes<number>({
    concurrency: 10,
    groupOf: () => 'g',
    run: (_, { step }) =>
      new Promise(() => {
        steps.push(step);
      }),
    giveBack: () => undefined,
    onRoom: () => undefined,
  });
  lanes.add([1, 2, 3]);
  expect(steps).toHaveLength(1);
  steps[0]?.onReturned();
  await turns();
  expect(steps).toHaveLength(2);
  expect(lanes.blocked()).toBe(1);
  let isItsTurn: boolean | undefined;
  void steps[1]?.mayRun.then((may) => (isItsTurn = may));
  await turns();
  expect(isItsTurn).toBeUndefined();
  steps[0]?.onEnded(true);
  await turns();
  expect(isItsTurn).toBe(true);
});

test('what comes of a group that is being returned waits until nothing of it runs, and then runs', async () => {
  const steps: (LaneStep | undefined)[] = [];
  const ends: (() => void)[] = [];
  const returned: number[] = [];
  const lanes = createLanes<number>({
    concurrency: 10,
    groupOf: () => 'g',
    run: (_, { step }) =>
      new Promise((resolve) => {
        steps.push(step);
        ends.push(resolve);
      }),
    giveBack: (items) => {
      returned.push(...items);
    },
    onRoom: () => undefined,
  });
  lanes.add([1, 2]);
  steps[0]?.onEnded(false);
  await turns();
  expect(returned).toEqual([2]);
  lanes.add([1, 2]);
  await turns();
  expect([steps.length, returned]).toEqual([1, [2]]);
  ends[0]?.();
  await turns();
  expect(steps).toHaveLength(2);
  expect(await steps[1]?.mayRun).toBe(true);
});

test('what waits is given back at a stop, and what runs goes on', async () => {
  const end: (() => void)[] = [];
  const returned: number[][] = [];
  const lanes = createLanes<number>({
    concurrency: 1,
    groupOf: () => undefined,
    run: () => new Promise((resolve) => end.push(resolve)),
    giveBack: (items) => returned.push([...items]),
    onRoom: () => undefined,
  });
  lanes.add([1, 2, 3]);
  lanes.clear();
  expect([returned, lanes.running().length, lanes.size()]).toEqual([[[2, 3]], 1, 1]);
  end[0]?.();
  await Promise.all(lanes.running());
  expect([lanes.size(), end.length]).toEqual([0, 1]);
});
