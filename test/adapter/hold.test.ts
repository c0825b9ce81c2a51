import { expect, test } from 'vitest';
import { Hold } from '../../src/adapter/hold.ts';
import { gate } from '../support/gate.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

const FOR_MS = 60_000;

function holdIn({ clock }: VirtualTime, extend?: () => Promise<number | undefined>): Hold {
  return new Hold({ clock, until: clock.monotonic() + FOR_MS, marginMs: 0, extend });
}

/** What a machine does that is suspended: only its wall clock goes on. */
function suspend(time: VirtualTime): void {
  time.setWallClock(FOR_MS);
}

test('a hold may have ended while the machine was suspended', async () => {
  const time = createVirtualTime();
  const hold = holdIn(time);
  await time.advance(FOR_MS - 1);
  expect([hold.isOurs(), hold.leftMs()]).toEqual([true, 1]);
  suspend(time);
  expect(hold.isOurs()).toBe(false);
});

test('a wall clock that is set back prolongs nothing', async () => {
  const time = createVirtualTime();
  const hold = holdIn(time);
  time.setWallClock(-FOR_MS);
  await time.advance(FOR_MS);
  expect(hold.isOurs()).toBe(false);
});

test('a suspension before the reply to an extension counts', async () => {
  const time = createVirtualTime();
  const answered = gate();
  const hold = holdIn(time, async () => {
    const until = time.clock.monotonic() + FOR_MS;
    await answered.opened;
    return until;
  });
  hold.beat();
  suspend(time);
  answered.open();
  await hold.end();
  expect(hold.isOurs()).toBe(false);
});

test('what it is extended to counts from the extension on', async () => {
  const time = createVirtualTime();
  const hold = holdIn(time, () => Promise.resolve(time.clock.monotonic() + FOR_MS));
  time.setWallClock(FOR_MS / 2);
  hold.beat();
  await hold.end();
  expect(hold.leftMs()).toBe(FOR_MS);
});
