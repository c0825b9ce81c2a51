import type { SqsEvent } from 'handle-once/sqs';
import { expect, test } from 'vitest';
import type { EntryReply, Queue } from '../../adapters/shared/sqs/queue.ts';
import { processDelivery } from '../../adapters/sqs/process-delivery.ts';
import { createVisibilityKeeper } from '../../adapters/sqs/visibility.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

const SECONDS = 60;
const REFUSED: EntryReply = { done: false, code: 'InvalidParameterValue', retriable: false };

test.each<[what: string, suspendedMs: number, reply: EntryReply, visibleAfterSeconds: number | undefined]>([
  ['is visible at once', 0, { done: true }, 0],
  ['is not touched where it may have lapsed', SECONDS * 1_000, { done: true }, undefined],
  ['is where it was when the queue refuses', 0, REFUSED, undefined],
])('a message that was not started %s', async (_, suspendedMs, reply, visibleAfterSeconds) => {
  const time = createVirtualTime();
  const { clock } = time;
  const events = createEventSink<SqsEvent>({ onEvent: () => undefined });
  const queue = { changeVisibility: () => Promise.resolve(reply) } as unknown as Queue;
  const keeper = createVisibilityKeeper(queue, { received: SECONDS, held: SECONDS }, events, clock);
  const ids = { messageId: 'id', receiptHandle: 'handle' };
  const held = keeper.hold({ message: {}, ...ids, receivedAt: clock.monotonic() });
  const delivery = {
    look: () => undefined,
    deliver() {
      time.setWallClock(suspendedMs);
      return Promise.resolve('not-started' as const);
    },
  };
  const handled = await processDelivery({ delivery, queue, events }, held, {});
  expect(handled).toMatchObject({ action: 'kept', reason: 'released' });
  expect(handled.visibleAfterSeconds).toBe(visibleAfterSeconds);
});
