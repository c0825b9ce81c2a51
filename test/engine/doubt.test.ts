import { expect, it, vi } from 'vitest';
import { createDoubt } from '../../src/engine/doubt.ts';
import { createAlarm } from '../../src/lib/alarm.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

it('a doubt that ends after its alarm has rung, by an answer that was there, is answered', async () => {
  const time = createVirtualTime();
  const { clock } = time;
  let afterInput: () => void = () => undefined;
  const withInput = { ...clock, afterInput: (callback: () => void) => (afterInput = callback) };
  const onUnanswered = vi.fn();
  const alarm = createAlarm(10, clock);
  const doubt = createDoubt(() => Promise.resolve(), { alarm, clock: withInput, onUnanswered });
  await time.advance(11);
  doubt.end();
  afterInput();
  expect(onUnanswered).not.toHaveBeenCalled();
});
