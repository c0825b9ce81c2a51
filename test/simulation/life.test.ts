import { beforeEach, describe, expect, it } from 'vitest';
import { Life } from '../../proof/simulation/time/life.ts';
import { Random } from '../../proof/simulation/time/random.ts';
import { Scheduler } from '../../proof/simulation/time/scheduler.ts';

let scheduler: Scheduler;
let life: Life;
let told: string[];

beforeEach(() => {
  const random = new Random(1);
  scheduler = new Scheduler(random);
  life = new Life('worker', 'worker.1', scheduler, random, true);
  told = [];
});

const tell = (what: string) => () => {
  told.push(what);
};

const run = () => scheduler.run(() => false);

describe('a process that is frozen', () => {
  it('goes on with the code that was stopped, then timers, then replies, then the rest', async () => {
    life.clock.setTimer(tell('timer'), 10);
    life.arrive(5, tell('reply'));
    scheduler.after(1, () => {
      life.clock.afterInput(tell('rest'));
      void life.standStillHere(100).then(tell('code'));
    });
    await run();
    expect(told).toEqual(['code', 'timer', 'reply', 'rest']);
  });

  it('has clocks that go on meanwhile', async () => {
    const wall = life.clock.wall();
    const monotonic = life.clock.monotonic();
    life.standStill(100);
    await run();
    expect(life.clock.wall() - wall).toBeCloseTo(100);
    expect(life.clock.monotonic() - monotonic).toBeCloseTo(100);
  });
});

it('while a machine is suspended its wall clock alone goes on, and timers ring that much later', async () => {
  const wall = life.clock.wall();
  let rangAt = 0;
  life.clock.setTimer(() => {
    rangAt = scheduler.now();
  }, 50);
  life.suspend(1_000);
  scheduler.after(1_000, () => {
    expect(life.clock.wall() - wall).toBeCloseTo(1_000);
  });
  await run();
  expect(rangAt).toBeGreaterThanOrEqual(1_050);
  expect(life.clock.monotonic()).toBeLessThan(100);
});

it('while a machine is paused both of its clocks stop', async () => {
  const wall = life.clock.wall();
  life.pause(1_000);
  await run();
  expect(scheduler.now()).toBe(1_000);
  expect(life.clock.wall()).toBe(wall);
  expect(life.clock.monotonic()).toBe(0);
  expect(life.shownMs()).toBe(0);
});

it('nothing happens in a process that is dead', async () => {
  life.clock.setTimer(tell('timer'), 10);
  life.clock.setRepeating(tell('again'), 10);
  life.arrive(10, tell('reply'));
  life.die();
  await run();
  expect(told).toEqual([]);
});

it('a timer that is cleared does not ring, and one that repeats rings until then', async () => {
  const { clock } = life;
  clock.clearTimer(clock.setTimer(tell('once'), 10));
  const repeating = clock.setRepeating(tell('again'), 10);
  scheduler.after(35, () => {
    clock.clearTimer(repeating);
  });
  await run();
  expect(told).toEqual(['again', 'again', 'again']);
});
