import type { SqsEvent } from 'handle-once/sqs';
import { describe, expect, test, vi } from 'vitest';
import type { EntryReply, Queue } from '../../adapters/shared/sqs/queue.ts';
import { processDelivery, type Task } from '../../adapters/sqs/process-delivery.ts';
import { createVisibilityKeeper } from '../../adapters/sqs/visibility.ts';
import type { Verdict } from '../../src/adapter-kit.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

const SECONDS = 60;
const DONE: EntryReply = { done: true };
const REFUSED: EntryReply = { done: false, code: 'InvalidParameterValue', retriable: false };
const error = { message: 'the queue refused the entry: InvalidParameterValue' };

/** A message that is handled with a verdict, for which the machine is suspended before that, and after. */
async function handled(verdict: Verdict | 'not-started', reply = DONE, suspendedMs = [0, 0]) {
  const time = createVirtualTime();
  const { clock } = time;
  const events: SqsEvent[] = [];
  const sink = createEventSink<SqsEvent>({ onEvent: (event) => events.push(event) });
  const calls: string[] = [];
  const call = (verb: string) => (_: string, seconds: unknown) => {
    calls.push(verb === 'delete' ? verb : `${verb} ${String(seconds)}`);
    return Promise.resolve(reply);
  };
  const queue = { name: 'q', delete: call('delete'), changeVisibility: call('change') } as unknown as Queue;
  const keeper = createVisibilityKeeper(queue, { received: SECONDS, held: SECONDS }, sink, clock);
  const ids = { messageId: 'id', receiptHandle: 'handle' };
  const held = keeper.hold({ message: {}, ...ids, receivedAt: clock.monotonic() });
  time.setWallClock(suspendedMs[0] ?? 0);
  const deliver = vi.fn(() => {
    time.setWallClock(suspendedMs[1] ?? 0);
    const outcome = { state: 'succeeded', replayed: false, attempts: 1, result: 1 } as const;
    return Promise.resolve(verdict === 'not-started' ? verdict : { ...verdict, handled: outcome });
  });
  const onAnswered = vi.fn<Required<Task>['onAnswered']>();
  const delivery = { look: () => undefined, deliver };
  const done = await processDelivery({ delivery, queue, events: sink }, held, { onAnswered });
  return { done, events, calls, deliver, answered: onAnswered.mock.calls.map(([first]) => first) };
}

const LAPSES = SECONDS * 1_000;

describe('a message that was not started', () => {
  test.each<
    [what: string, reply: EntryReply, suspendedMs: number[], visible: object, calls: string[], type?: string]
  >([
    ['is visible at once', DONE, [0, 0], { visibleAfterSeconds: 0 }, ['change 0'], 'returned'],
    ['is not touched where it may have lapsed', DONE, [0, LAPSES], {}, []],
    ['is where it was where the queue refuses', REFUSED, [0, 0], {}, ['change 0'], 'queue-error'],
  ])('%s', async (_, reply, suspendedMs, visible, calls, type) => {
    const result = await handled('not-started', reply, suspendedMs);
    expect(result.done).toEqual({ action: 'kept', reason: 'released', ...visible });
    expect([result.calls, result.answered]).toEqual([calls, [false]]);
    expect(result.events.map((event) => event.type)).toEqual(type === undefined ? [] : [type]);
  });
});

test('a message that may have lapsed before it is handled is left to who has it now', async () => {
  const { done, events, calls, deliver, answered } = await handled(acknowledged(), DONE, [LAPSES, 0]);
  expect(done).toEqual({ action: 'kept', reason: 'lapsed' });
  expect(deliver).not.toHaveBeenCalled();
  expect([calls, answered]).toEqual([[], [false]]);
  expect(events).toEqual([{ type: 'kept', key: '', reason: 'lapsed', messageId: 'id' }]);
});

function acknowledged(deadLettered = false): Verdict {
  return { acknowledge: true, key: 'key', deadLettered };
}

const KEPT: Verdict = { acknowledge: false, key: 'key', reason: 'released', retryAfterMs: 5_000 };

describe('a message that is acknowledged', () => {
  test.each([
    ['acknowledged', false],
    ['dead-lettered', true],
  ])('is deleted, and is %s', async (action, deadLettered) => {
    const { done, events, calls, answered } = await handled(acknowledged(deadLettered));
    expect(done).toMatchObject({ action });
    expect([calls, answered]).toEqual([['delete'], [true]]);
    expect(events).toEqual([{ type: 'acknowledged', key: 'key', messageId: 'id' }]);
  });

  test('is kept where the queue refuses', async () => {
    const { done, events } = await handled(acknowledged(), REFUSED);
    expect(done).toMatchObject({ action: 'kept', reason: 'queue-error', error });
    expect(events).toMatchObject([
      { type: 'queue-error', queue: 'q', verb: 'delete', messageId: 'id', error },
      { type: 'kept', key: 'key', reason: 'queue-error', messageId: 'id' },
    ]);
  });

  test('is not deleted where it may have lapsed meanwhile', async () => {
    const { done, calls } = await handled(acknowledged(), DONE, [0, LAPSES]);
    expect(done).toMatchObject({ action: 'kept', reason: 'lapsed' });
    expect(calls).toEqual([]);
  });
});

describe('a message that is kept', () => {
  test('is visible when it can be tried again', async () => {
    const { done, events, calls, answered } = await handled(KEPT);
    expect(done).toMatchObject({ action: 'kept', reason: 'released', visibleAfterSeconds: 5 });
    expect([calls, answered]).toEqual([['change 5'], [false]]);
    const what = { key: 'key', reason: 'released', messageId: 'id', visibleAfterSeconds: 5 };
    expect(events).toEqual([{ type: 'kept', ...what }]);
  });

  test.each<[string, Partial<Verdict>]>([
    ['that is not known', { retryAfterMs: undefined }],
    ['it may be another worker’s', { reason: 'unrecorded' }],
  ])('is visible when its visibility ends where %s', async (_, why) => {
    const { done, calls } = await handled({ ...KEPT, ...why } as Verdict);
    expect(done).toMatchObject({ action: 'kept' });
    expect(done).not.toHaveProperty('visibleAfterSeconds');
    expect(calls).toEqual([]);
  });

  test('is so too where the queue refuses, and that is the reason', async () => {
    const { done } = await handled(KEPT, REFUSED);
    expect(done).toMatchObject({ action: 'kept', reason: 'queue-error', error });
    expect(done).not.toHaveProperty('visibleAfterSeconds');
  });
});
