import type { SqsEvent } from 'handle-once/sqs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntryReply, Queue } from '../../adapters/shared/sqs/queue.ts';
import { createVisibilityKeeper } from '../../adapters/sqs/visibility.ts';
import { boundedVisibility } from '../../adapters/shared/sqs/visibility-limits.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { gate } from '../support/gate.ts';
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
  readonly withinMs: number;
}

const DONE: EntryReply = { done: true };
const GONE: EntryReply = { done: false, code: 'ReceiptHandleIsInvalid', retriable: false };
const REFUSED: EntryReply = { done: false, code: 'InternalError', retriable: true };
const noReply = () => new DOMException('the queue gave no reply in time', 'TimeoutError');

/** A message that is held from its receive on, at a queue that takes every heartbeat. */
function held(
  seconds: number,
  reply: (timeoutSeconds: number) => EntryReply | Promise<EntryReply> = () => DONE,
  heldSeconds = seconds,
) {
  const { clock } = time;
  const receivedAt = clock.monotonic();
  const beats: Beat[] = [];
  const events: SqsEvent[] = [];
  const extensions: number[] = [];
  const changeVisibility = async (_: string, timeoutSeconds: number, withinMs: number) => {
    beats.push({ at: clock.monotonic() - receivedAt, seconds: timeoutSeconds, withinMs });
    return await reply(timeoutSeconds);
  };
  const keeper = createVisibilityKeeper(
    { changeVisibility } as unknown as Queue,
    { received: seconds, held: heldSeconds },
    createEventSink<SqsEvent>({
      onEvent(event) {
        if (event.type === 'visibility-extended') extensions.push(event.seconds);
        else events.push(event);
      },
    }),
    clock,
  );
  const message = { MessageId: 'id', ReceiptHandle: 'handle' };
  const received = { message, messageId: 'id', receiptHandle: 'handle', receivedAt };
  return { hold: keeper.hold(received), keeper, received, beats, events, extensions };
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
      seconds < 60 && failures-- > 0 ? REFUSED : DONE,
    );
    await time.advance(TWELVE_HOURS - 3_000);
    expect(beats.filter(({ seconds }) => seconds < 60)).toHaveLength(2);
    expect(extensions).toHaveLength(beats.length - 1);
    expect(hold.isOurs()).toBe(true);
    keeper.stop();
  });

  test('is not made visible where the last heartbeats fail until there is no time left', async () => {
    const { hold, keeper, beats, events } = held(60, (seconds) => (seconds < 60 ? REFUSED : DONE));
    await time.advance(TWELVE_HOURS + 60_000);
    expect(beats.filter(({ seconds }) => seconds === 0)).toEqual([]);
    expect(hold.isOurs()).toBe(false);
    keeper.stop();
    expect(events).toEqual([]);
  });
});

describe('A heartbeat', () => {
  test('is sent where less than two thirds are left, and gets time for another', async () => {
    const { keeper, beats } = held(30, () => DONE, 600);
    await time.advance(500_000);
    expect(beats.map(({ at }) => Math.round(at / 10_000))).toEqual([1, 21, 41]);
    expect(beats).toMatchObject(beats.map(() => ({ seconds: 600, withinMs: 5_000 })));
    keeper.stop();
    await time.advance(600_000);
    expect(beats).toHaveLength(3);
  });

  test('gets no longer than other calls', async () => {
    const { keeper, beats } = held(3_600);
    await time.advance(1_300_000);
    expect(beats.map(({ withinMs }) => withinMs)).toEqual([15_000]);
    keeper.stop();
  });

  test('that gets no reply is sent once more at once', async () => {
    let failures = 1;
    const { keeper, beats, events, extensions } = held(30, () => {
      if (failures-- > 0) throw noReply();
      return DONE;
    });
    await time.advance(11_000);
    expect([beats.length, extensions, events]).toEqual([2, [30], []]);
    keeper.stop();
  });

  test('that fails is an event', async () => {
    const { keeper, events } = held(30, () => {
      throw new Error('no');
    });
    await time.advance(11_000);
    expect(events).toMatchObject([
      { type: 'queue-error', verb: 'change-visibility', messageId: 'id', error: { message: 'no' } },
    ]);
    keeper.stop();
  });

  /** One that waits for its reply, while something happens to its message. */
  async function whileOneWaits(happens: (bed: ReturnType<typeof held>) => unknown, reply: () => EntryReply) {
    const answer = gate();
    const bed = held(30, async () => {
      await answer.opened;
      return reply();
    });
    await time.advance(10_001);
    await happens(bed);
    answer.open();
    await time.advance(1);
    bed.keeper.stop();
    return bed;
  }

  const lost = () => {
    throw noReply();
  };

  test.each<[string, (bed: ReturnType<typeof held>) => unknown]>([
    ['is released', ({ hold }) => void hold.release()],
    ['may have lapsed', () => time.advance(20_000)],
    ['was received again', receiveAgain],
  ])('that gets no reply is not sent again where the message %s', async (_, happens) => {
    const { beats } = await whileOneWaits(happens, lost);
    expect(beats).toHaveLength(1);
  });

  test.each([DONE, GONE])('of an earlier receive says nothing about the last: %j', async (reply) => {
    const { hold, events, extensions } = await whileOneWaits(receiveAgain, () => reply);
    expect([hold.isOurs(), events, extensions]).toEqual([true, [], []]);
  });

  function receiveAgain({ keeper, received }: ReturnType<typeof held>): void {
    keeper.join({ ...received, receiptHandle: 'another', receivedAt: time.clock.monotonic() });
  }
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
