import type { SqsEvent } from 'handle-once/sqs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntryReply, Queue } from '../../adapters/shared/sqs/queue.ts';
import { createVisibilityKeeper } from '../../adapters/sqs/visibility.ts';
import { boundedVisibility } from '../../adapters/shared/sqs/visibility-limits.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

const HOUR = 3_600_000;
const TWELVE_HOURS = 12 * HOUR;

let time: VirtualTime;

beforeEach(() => {
  time = createVirtualTime();
});

describe('A visibility timeout', () => {
  test('is what was asked for, in whole seconds, while twelve hours are far', () => {
    const { clock } = time;
    expect(boundedVisibility(clock, clock.monotonic(), 1_001)).toBe(2);
    expect(boundedVisibility(clock, clock.monotonic(), 0)).toBe(0);
  });

  test('never reaches past twelve hours after the receive, nor below zero', async () => {
    const { clock } = time;
    const receivedAt = clock.monotonic();
    for (const after of [0, 1, 11 * HOUR, TWELVE_HOURS - 60_000, TWELVE_HOURS - 1_500, TWELVE_HOURS - 1]) {
      await time.advance(receivedAt + after - clock.monotonic());
      const seconds = boundedVisibility(clock, receivedAt, TWELVE_HOURS);
      expect(after + seconds * 1_000).toBeLessThan(TWELVE_HOURS);
    }
    await time.advance(HOUR);
    expect(boundedVisibility(clock, receivedAt, 60_000)).toBe(0);
  });
});

interface Beat {
  /** Milliseconds after the receive. */
  readonly at: number;
  readonly seconds: number;
}

/** A message that is held from its receive on, at a queue that takes every heartbeat. */
function held(seconds: number, reply: (timeoutSeconds: number) => EntryReply = () => ({ done: true })) {
  const { clock } = time;
  const receivedAt = clock.monotonic();
  const beats: Beat[] = [];
  const events: SqsEvent[] = [];
  const extensions: number[] = [];
  const changeVisibility = (_: string, timeoutSeconds: number): Promise<EntryReply> => {
    beats.push({ at: clock.monotonic() - receivedAt, seconds: timeoutSeconds });
    return Promise.resolve(reply(timeoutSeconds));
  };
  const keeper = createVisibilityKeeper(
    { changeVisibility } as unknown as Queue,
    { received: seconds, held: seconds },
    createEventSink<SqsEvent>({
      onEvent(event) {
        if (event.type === 'visibility-extended') extensions.push(event.seconds);
        else events.push(event);
      },
    }),
    clock,
  );
  const message = { MessageId: 'id', ReceiptHandle: 'handle' };
  const hold = keeper.hold({ message, messageId: 'id', receiptHandle: 'handle', receivedAt });
  return { hold, keeper, beats, events, extensions };
}

describe('A message that is held for twelve hours', () => {
  test.each([29, 3_600, 43_200])(
    'with %i s at a time is never made visible by a heartbeat, nor held for longer',
    async (seconds) => {
      const { hold, keeper, beats, events, extensions } = held(seconds);
      await time.advance(TWELVE_HOURS - 5_000);
      expect(hold.isOurs()).toBe(true);
      expect(events).toEqual([]);
      const beatsBefore = beats.length;
      await time.advance(Math.max(60_000, seconds * 1_000));

      expect(hold.isOurs()).toBe(false);
      expect(beats.length - beatsBefore).toBeLessThanOrEqual(1);
      for (const beat of beats) {
        expect(beat.seconds).toBeGreaterThan(0);
        expect(beat.at + beat.seconds * 1_000).toBeLessThan(TWELVE_HOURS);
      }
      // The last one reaches the bound: those after it could gain nothing.
      const [last] = beats.slice(-1);
      if (last !== undefined) expect(last.at + last.seconds * 1_000).toBeGreaterThan(TWELVE_HOURS - 3_000);
      expect(beats.filter(({ seconds: asked }) => asked < seconds).length).toBeLessThanOrEqual(1);
      expect(events).toEqual([{ type: 'visibility-lost', messageId: 'id', code: 'TWELVE_HOURS' }]);
      expect(extensions).toEqual(beats.map((beat) => beat.seconds));
      keeper.stop();
    },
  );

  test('with a last heartbeat that fails tries again', async () => {
    let failures = 1;
    const { hold, keeper, beats, extensions } = held(60, (seconds) =>
      seconds < 60 && failures-- > 0
        ? { done: false, code: 'InternalError', retriable: true }
        : { done: true },
    );
    await time.advance(TWELVE_HOURS - 3_000);
    expect(beats.filter(({ seconds }) => seconds < 60)).toHaveLength(2);
    expect(extensions).toHaveLength(beats.length - 1);
    expect(hold.isOurs()).toBe(true);
    keeper.stop();
  });
});

test('a release ends the heartbeats of its message alone, which is not joined any more', async () => {
  const { clock } = time;
  const beats: string[] = [];
  const changeVisibility = (handle: string): Promise<EntryReply> => {
    beats.push(handle);
    return Promise.resolve({ done: true });
  };
  const events = createEventSink<SqsEvent>({ onEvent: () => undefined });
  const queue = { changeVisibility } as unknown as Queue;
  const keeper = createVisibilityKeeper(queue, { received: 30, held: 30 }, events, clock);
  const received = (messageId: string, Body = 'body') => ({
    ...{ messageId, receiptHandle: messageId, message: { Body }, receivedAt: clock.monotonic() },
  });
  const [one, two] = [keeper.hold(received('one')), keeper.hold(received('two'))];
  const changed = keeper.hold(received('one', 'changed'));
  await one.release();
  expect([keeper.join(received('one')), keeper.join(received('one', 'changed'))]).toEqual([false, true]);
  await time.advance(10_001);
  expect(beats.toSorted()).toEqual(['one', 'two']);
  await changed.release();
  await two.release();
  expect(keeper.join(received('one', 'changed'))).toBe(false);
  await time.advance(60_000);
  expect(beats).toHaveLength(2);
});
