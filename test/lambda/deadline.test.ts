import { type HandleOnceEvent, TerminalError } from 'handle-once';
import { onceEachSqsRecord, type SqsRecordEvent } from 'handle-once/lambda';
import type { LambdaContext } from '../../adapters/lambda/deadline.ts';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDeadline } from '../../adapters/lambda/deadline.ts';
import { timeWarnings } from '../../adapters/lambda/time-check.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { aborted, gate, unlessAborted } from '../support/gate.ts';
import { bench } from './support/bench.ts';
import { ample, contextWith, fifoRecord, sqsEvent, sqsRecord } from './support/events.ts';
import { expectSoon } from '../support/until.ts';

const MARGIN_MS = 800;
/** Time to start in, with room for a machine that is busy. */
const BRIEF_MS = MARGIN_MS + 500;

function failures(...messageIds: string[]): object {
  return { batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })) };
}

function reported(events: readonly SqsRecordEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'kept' ? [`${event.itemIdentifier}: ${event.reason}`] : [],
  );
}

/** A handler of events that are kept, of the records and of `handleOnce` itself. */
function setup(): {
  options: Parameters<typeof onceEachSqsRecord>[0];
  events: SqsRecordEvent[];
  ofCore: HandleOnceEvent[];
  handleOnce: ReturnType<typeof bench>['handleOnce'];
} {
  const ofCore: HandleOnceEvent[] = [];
  const events: SqsRecordEvent[] = [];
  const { handleOnce } = bench({ leaseMs: 500, onEvent: (event) => ofCore.push(event) });
  const onEvent = (event: SqsRecordEvent) => events.push(event);
  return { options: { handleOnce, deadlineMarginMs: MARGIN_MS, onEvent }, events, ofCore, handleOnce };
}

describe.concurrent('Before the deadline', () => {
  test('a handler that heeds its signal gives up: released without a counted attempt, and reported', async () => {
    const { options, events, ofCore } = setup();
    let reason: unknown;
    const handler = onceEachSqsRecord(options, async (_, { signal, number }) => {
      if (number > 1) expect.unreachable();
      if (reason === undefined) {
        await unlessAborted(new Promise(() => undefined), signal).catch((error: unknown) => {
          reason = error;
          throw error;
        });
      }
    });
    const event = sqsEvent(sqsRecord('id-1', '{}'));
    const context = contextWith(BRIEF_MS);
    expect(await handler(event, context)).toEqual(failures('id-1'));
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
    expect(reason).toMatchObject({ name: 'AbortError' });
    expect(reported(events)).toEqual(['id-1: released']);
    expect(ofCore.at(-1)).toMatchObject({ type: 'released', attempts: 0, retryAfterMs: 0 });
    // The next delivery runs at once, and is the first attempt.
    expect(await handler(event, ample())).toEqual(failures());
    expect(ofCore.at(-1)).toMatchObject({ type: 'succeeded', attempts: 1 });
  });

  test('one that gives up for good has failed for good', async () => {
    const { options } = setup();
    const handler = onceEachSqsRecord({ ...options, onFailed: 'acknowledge' }, async (_, { signal }) => {
      await aborted(signal);
      throw new TerminalError('never');
    });
    const event = sqsEvent(sqsRecord('id-1', '{}'));
    expect(await handler(event, contextWith(BRIEF_MS))).toEqual(failures());
  });

  test('one that finishes all the same before the answer has succeeded', async () => {
    const { options } = setup();
    const handler = onceEachSqsRecord(options, async (_, { signal }) => {
      await aborted(signal);
    });
    const event = sqsEvent(sqsRecord('id-1', '{}'));
    expect(await handler(event, contextWith(BRIEF_MS))).toEqual(failures());
  });

  test('one that ignores its signal is not waited for; it may end later, and is replayed', async () => {
    const { options, events, ofCore, handleOnce } = setup();
    const done = gate();
    const handler = onceEachSqsRecord(options, async () => {
      await done.opened;
      return 'late';
    });
    const event = sqsEvent(sqsRecord('quick', '1'), sqsRecord('id-1', '{}'));
    await handleOnce('quick', '1', () => 1);
    const context = contextWith(BRIEF_MS);
    expect(await handler(event, context)).toEqual(failures('id-1'));
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
    expect(reported(events)).toEqual(['id-1: unfinished']);
    done.open();
    await expectSoon(() => {
      expect(ofCore.at(-1)).toMatchObject({ type: 'succeeded', key: 'id-1' });
    });
    expect(await handler(event, ample())).toEqual(failures());
    // What came too late for the first answer is told by the second alone.
    expect(handler.counts()).toMatchObject({ acknowledged: 3, replayed: 3, kept: 1 });
  });

  test('one that fails for good after the answer has one dead letter, sent by the next delivery', async () => {
    const { options, events, ofCore } = setup();
    const done = gate();
    const sendMessage = vi.fn(() => Promise.resolve());
    const onFailed = { deadLetterQueueUrl: 'https://sqs.example/dead', client: { sendMessage } };
    const handler = onceEachSqsRecord({ ...options, onFailed }, async () => {
      await done.opened;
      throw new TerminalError('never');
    });
    const event = sqsEvent(sqsRecord('id-1', '{}'));
    expect(await handler(event, contextWith(BRIEF_MS))).toEqual(failures('id-1'));
    expect(reported(events)).toEqual(['id-1: unfinished']);
    done.open();
    await expectSoon(() => {
      expect(ofCore.at(-1)).toMatchObject({ type: 'failed', key: 'id-1' });
    });
    expect(await handler(event, ample())).toEqual(failures());
    expect(sendMessage).toHaveBeenCalledOnce();
    expect(handler.counts()).toMatchObject({ 'dead-lettered': 1, acknowledged: 1 });
  });

  test('nothing more is started, and what is not started is not claimed', async () => {
    const { options, events, ofCore } = setup();
    const handler = onceEachSqsRecord({ ...options, concurrency: 1 }, async (_, { signal }) => {
      await aborted(signal);
      throw signal.reason;
    });
    const event = sqsEvent(...['a', 'b', 'c'].map((id) => sqsRecord(id, '{}')));
    expect(await handler(event, contextWith(BRIEF_MS))).toEqual(failures('a', 'b', 'c'));
    expect(reported(events)).toEqual(['a: released', 'b: out-of-time', 'c: out-of-time']);
    expect(ofCore.filter(({ type }) => type === 'claimed')).toHaveLength(1);
  });

  test('the clock is asked, and not the timer alone: a busy event loop has no timers', async () => {
    const { options, events } = setup();
    let remaining = 10_000;
    const context: LambdaContext = { getRemainingTimeInMillis: () => remaining };
    const handler = onceEachSqsRecord({ ...options, concurrency: 1 }, () => {
      remaining = MARGIN_MS;
    });
    const event = sqsEvent(sqsRecord('a', '{}'), sqsRecord('b', '{}'));
    expect(await handler(event, context)).toEqual(failures('b'));
    expect(reported(events)).toEqual(['b: out-of-time']);
  });

  test('a group of a FIFO queue keeps its order: behind one that runs, nothing does', async () => {
    const { options, events } = setup();
    const handler = onceEachSqsRecord(options, (payload) =>
      payload === 1 ? new Promise(() => undefined) : undefined,
    );
    const event = sqsEvent(...[0, 1, 2].map((n) => fifoRecord(`id-${n}`, String(n), 'a')));
    expect(await handler(event, contextWith(BRIEF_MS))).toEqual(failures('id-1', 'id-2'));
    expect(reported(events)).toEqual(['id-1: unfinished', 'id-2: behind']);
  });

  test('a store that never answers is not waited for', async () => {
    const { handleOnce } = bench({
      store: {
        claim: () => new Promise(() => undefined),
        settle: () => new Promise(() => undefined),
        extend: () => new Promise(() => undefined),
      },
    });
    const handler = onceEachSqsRecord({ handleOnce, deadlineMarginMs: MARGIN_MS }, () => 1);
    const context = contextWith(BRIEF_MS);
    expect(await handler(sqsEvent(sqsRecord('a', '{}')), context)).toEqual(failures('a'));
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
  });
});

describe('An invocation', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    createDeadline(ample(), MARGIN_MS, systemClock).end();
    expect(vi.getTimerCount()).toBe(0);
    // With an answer as well: only the store's and the lease's own alarms remain.
    const { handleOnce } = bench();
    const before = vi.getTimerCount();
    const handler = onceEachSqsRecord({ handleOnce }, () => {
      expect(vi.getTimerCount()).toBeGreaterThan(before + 1);
    });
    await handler(sqsEvent(sqsRecord('a', '{}')), ample());
    vi.advanceTimersByTime(40_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([MARGIN_MS - 1, 0, -5, -Infinity])(
    'with %d ms left sets no timer for the past',
    async (remaining) => {
      const setTimer = vi.spyOn(globalThis, 'setTimeout');
      onTestFinished(() => {
        setTimer.mockRestore();
      });
      const deadline = createDeadline({ getRemainingTimeInMillis: () => remaining }, MARGIN_MS, systemClock);
      onTestFinished(deadline.end);
      expect(setTimer.mock.calls.map(([, milliseconds]) => milliseconds)).toHaveLength(2);
      for (const [, milliseconds] of setTimer.mock.calls) expect(milliseconds).toBeGreaterThanOrEqual(0);
      await deadline.answerDue;
      expect(deadline.signal.aborted).toBe(true);
    },
  );

  test('of a context without an end has no deadline', async () => {
    const { options } = setup();
    const handler = onceEachSqsRecord(options, async (_, { signal }) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    });
    const context = { getRemainingTimeInMillis: () => Infinity };
    expect(await handler(sqsEvent(sqsRecord('a', '{}')), context)).toEqual(failures());
  });

  test('that begins too late starts nothing, and warns once', async () => {
    const { options, events, ofCore } = setup();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => {
      // kafkajs, in another file of this process, has warnings of its own on Node 24.
      if (warning.name === 'HandleOnceWarning') warnings.push(warning);
    };
    process.on('warning', listen);
    const event = sqsEvent(sqsRecord('a', '{}'));
    for (const onEvent of [options.onEvent, undefined]) {
      const handler = onceEachSqsRecord({ ...options, onEvent }, () => expect.unreachable());
      expect(await handler(event, contextWith(MARGIN_MS))).toEqual(failures('a'));
      expect(await handler(event, contextWith(MARGIN_MS))).toEqual(failures('a'));
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(ofCore).toEqual([]);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ warning: 'NO_TIME_TO_START' }]);
    expect(warnings).toMatchObject([{ name: 'HandleOnceWarning', code: 'NO_TIME_TO_START' }]);
  });
});

describe('A lease', () => {
  const margin = { deadlineMarginMs: 2_000 };

  test.each([
    [30_000, 29_990, []],
    [30_000, 29_001, []],
    [30_001, 29_990, ['LEASE_OUTLIVES_FUNCTION']],
    [30_000, 2_990, ['LEASE_OUTLIVES_FUNCTION']],
    [1_000, 2_000, ['NO_TIME_TO_START']],
    [1_000, 2_001, []],
    [30_000, 990, ['LEASE_OUTLIVES_FUNCTION', 'NO_TIME_TO_START']],
  ])('of %i ms in an invocation that begins with %i ms left: %j', (leaseMs, remainingMs, expected) => {
    const warnings = timeWarnings({ leaseMs, ...margin }, remainingMs);
    expect(warnings.map(({ warning }) => warning)).toEqual(expected);
  });

  test('the warning names both, and what to do', () => {
    const [warning] = timeWarnings({ leaseMs: 30_000, ...margin }, 2_990);
    expect(warning?.message).toMatch(/30000 ms .*3000 ms.* Lower leaseMs/);
  });
});
