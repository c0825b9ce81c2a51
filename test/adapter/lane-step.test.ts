import { expect, test } from 'vitest';
import { type LaneStep, runPipelined } from '../../adapters/shared/lanes.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** A lane whose messages do as they are told. A verdict says whether those behind the message may run. */
function laneOf(count: number) {
  const started: number[] = [];
  const noted: number[] = [];
  const mayRun: (boolean | undefined)[] = [];
  const returns: (() => void)[] = [];
  const settles: ((goesOn: boolean) => void)[] = [];
  const run = async (item: number, step: LaneStep): Promise<boolean> => {
    started.push(item);
    void step.mayRun.then((may) => (mayRun[item] = may));
    returns[item] = step.onReturned;
    const goesOn = await new Promise<boolean>((resolve) => {
      settles[item] = resolve;
    });
    noted.push(item);
    return goesOn;
  };
  let ended = false;
  let isOver = false;
  void runPipelined([...Array(count).keys()], run, () => isOver).then(() => (ended = true));
  const step = async (act: () => void): Promise<void> => {
    act();
    await turns();
  };
  return {
    started,
    noted,
    mayRun,
    ended: () => ended,
    end: () => (isOver = true),
    returns: (item: number) => step(() => returns[item]?.()),
    settles: (item: number, goesOn = true) => step(() => settles[item]?.(goesOn)),
  };
}

test('the first may run at once, and nothing else starts before its handler has returned', async () => {
  const lane = laneOf(3);
  await turns();
  expect(lane.started).toEqual([0]);
  expect(lane.mayRun).toEqual([true]);
});

test('the next starts when the handler before it has returned, and may run when that is settled', async () => {
  const lane = laneOf(3);
  await lane.returns(0);
  expect([lane.started, lane.mayRun]).toEqual([[0, 1], [true]]);
  await lane.settles(0);
  expect([lane.started, lane.mayRun]).toEqual([
    [0, 1],
    [true, true],
  ]);
  await lane.returns(1);
  await lane.settles(1);
  await lane.settles(2);
  expect([lane.noted, lane.ended()]).toEqual([[0, 1, 2], true]);
});

test('a message that is settled without a handler lets the next start', async () => {
  const lane = laneOf(2);
  await lane.settles(0);
  expect([lane.started, lane.mayRun]).toEqual([
    [0, 1],
    [true, true],
  ]);
});

test('what is not settled ends the lane', async () => {
  const lane = laneOf(3);
  await lane.settles(0, false);
  expect([lane.started, lane.noted, lane.ended()]).toEqual([[0], [0], true]);
});

test('what has started behind one that is not settled does not get its turn, and is waited for', async () => {
  const lane = laneOf(3);
  await lane.returns(0);
  await lane.settles(0, false);
  expect([lane.mayRun, lane.ended()]).toEqual([[true, false], false]);
  await lane.settles(1, false);
  expect([lane.started, lane.noted, lane.ended()]).toEqual([[0, 1], [0, 1], true]);
});

test('a replay behind one that is not settled gives no other a turn', async () => {
  const lane = laneOf(3);
  await lane.returns(0);
  await lane.settles(1);
  expect(lane.started).toEqual([0, 1]);
  await lane.settles(0, false);
  expect([lane.started, lane.ended()]).toEqual([[0, 1], true]);
});

test('an empty lane ends', async () => {
  const lane = laneOf(0);
  await turns();
  expect(lane.ended()).toBe(true);
});

test('once it is ended nothing more starts, and what waits for its turn has it', async () => {
  const lane = laneOf(3);
  await lane.returns(0);
  lane.end();
  await lane.settles(0);
  await lane.returns(1);
  await lane.settles(1);
  expect([lane.started, lane.mayRun, lane.ended()]).toEqual([[0, 1], [true, true], true]);
});
