import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lanesBy, runLanes } from '../../adapters/shared/lanes.ts';
import { gate } from '../support/gate.ts';

const always = (): boolean => true;

describe('Lanes', () => {
  test('are by name, in the order of their first items; what has no name is alone', () => {
    const items = ['a1', '-1', 'b1', 'a2', '-2', 'b2', 'a3'];
    const lanes = lanesBy(items, (item) => (item.startsWith('-') ? undefined : item.charAt(0)));
    expect(lanes).toEqual([['a1', 'a2', 'a3'], ['-1'], ['b1', 'b2'], ['-2']]);
  });

  test('run side by side up to the bound, and the rest after them', async () => {
    let running = 0;
    let most = 0;
    const ran: number[] = [];
    const full = gate();
    const lanes = Array.from({ length: 9 }, (_, n) => [n]);
    await runLanes(lanes, {
      concurrency: 3,
      hasTime: always,
      run: async (n) => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) full.open();
        // Only ends if three run at once.
        await full.opened;
        running -= 1;
        ran.push(n);
        return true;
      },
    });
    expect(most).toBe(3);
    expect(ran.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('of nothing are done at once', async () => {
    await runLanes([], { concurrency: 3, hasTime: always, run: () => Promise.resolve(true) });
  });

  test('nothing is started once the time is over', async () => {
    const ran: string[] = [];
    await runLanes([['a1', 'a2'], ['b1']], {
      concurrency: 1,
      hasTime: () => ran.length < 1,
      run: (item) => {
        ran.push(item);
        return Promise.resolve(true);
      },
    });
    expect(ran).toEqual(['a1']);
  });

  test('in a lane nothing runs after what is not settled, or before what stands earlier', async () => {
    const item = fc.record({ lane: fc.constantFrom('a', 'b', 'c'), settles: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (all, bound) => {
          const items = all.map((one, index) => ({ ...one, index }));
          const ran: typeof items = [];
          await runLanes(
            lanesBy(items, ({ lane }) => lane),
            {
              concurrency: bound,
              hasTime: always,
              run: async (one) => {
                ran.push(one);
                await Promise.resolve();
                return one.settles;
              },
            },
          );
          for (const lane of ['a', 'b', 'c']) {
            const own = items.filter((one) => one.lane === lane);
            const firstLeft = own.findIndex(({ settles }) => !settles);
            const expected = firstLeft === -1 ? own : own.slice(0, firstLeft + 1);
            expect(ran.filter((one) => one.lane === lane)).toEqual(expected);
          }
        },
      ),
    );
  });
});
