import { TerminalError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { gate } from '../support/gate.ts';
import { bench, pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

useFakeTimers();

const messages = (count: number) => Array.from({ length: count }, (_, index) => message(10 + index));
const refusal = (type: string) => Object.assign(new Error(type), { type });
const REBALANCE = refusal('REBALANCE_IN_PROGRESS');
const MEMBERSHIP_ERRORS = [
  REBALANCE,
  ...['NOT_COORDINATOR_FOR_GROUP', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'].map(refusal),
];

describe('while a handler runs', () => {
  test('a heartbeat goes out every half second', async () => {
    const { run, hold } = bench();
    const end = hold(10);
    const batch = fakeBatch(messages(1));
    run(batch);
    await pass(499);
    expect(batch.counts.heartbeats).toBe(0);
    await pass(1);
    expect(batch.counts.heartbeats).toBe(1);
    await pass(60_000);
    expect(batch.counts.heartbeats).toBe(121);
    end.open();
    await pass();
  });

  test('what is settled is committed, every second at most, and only where it has changed', async () => {
    const { run, hold } = bench();
    const [second, fourth] = [11, 13].map(hold);
    const batch = fakeBatch(messages(4));
    run(batch);
    await pass(999);
    expect([batch.resolved, batch.committed]).toEqual([['10'], ['10']]);
    await pass(1);
    expect(batch.committed).toEqual(['10', '11']);
    await pass(1_400);
    second?.open();
    await pass(599);
    expect([batch.resolved.at(-1), batch.counts.commits]).toEqual(['12', 2]);
    await pass(1);
    expect(batch.committed).toEqual(['10', '11', '13']);
    await pass(60_000);
    expect(batch.counts.commits).toBe(3);
    fourth?.open();
    await pass();
    expect(batch.committed).toEqual(['10', '11', '13', '14']);
  });

  test('one heartbeat is under way at a time: a broker that hangs is told of once', async () => {
    const { run, hold, eventsOf } = bench();
    const end = hold(10);
    const batch = fakeBatch(messages(1));
    const error = new Error('Request Heartbeat timed out');
    // As in the client: what asks meanwhile shares the request that is under way.
    const request = new Promise<void>((_, reject) => {
      setTimeout(() => {
        reject(error);
      }, 9_900);
    });
    batch.does.heartbeat = () => request;
    run(batch);
    await pass(9_950);
    expect(eventsOf('client-error')).toEqual([
      { type: 'client-error', verb: 'heartbeat', error: toEventError(error) },
    ]);
    end.open();
    await pass();
  });
});

describe.each(MEMBERSHIP_ERRORS)('$type', (error) => {
  test.each(['heartbeat', 'commit'] as const)('of a %s is thrown as it is, after the grace', async (verb) => {
    const { run, started, hold, attempts, eventsOf, consumer } = bench();
    hold(10);
    const batch = fakeBatch([message(9), ...messages(2)]);
    const handled = run(batch);
    await pass();
    batch.does[verb] = vi.fn().mockRejectedValue(error);
    await pass((verb === 'heartbeat' ? 500 : 1_000) + 1_999);
    expect(handled.state).toBe('running');
    await pass(1);
    expect(handled.state).toBe('threw');
    expect(handled.error).toBe(error);
    expect([started, attempts[1]?.signal.aborted]).toEqual([['9', '10'], false]);
    expect([eventsOf('client-error'), eventsOf('kept'), consumer.calls]).toEqual([[], [], []]);
  });
});

describe('when the group rebalances', () => {
  const interrupted = async (count = 3) => {
    const bed = bench();
    bed.consumer.join({ orders: [0, 1] });
    const first = bed.hold(10);
    const batch = fakeBatch(messages(count));
    const handled = bed.run(batch);
    await pass();
    batch.does.heartbeat = vi.fn().mockRejectedValue(REBALANCE);
    await pass(500);
    return { ...bed, first, batch, handled };
  };

  test('what ends within the grace is told, nothing more is started, and the batch ends at once', async () => {
    const { first, batch, handled, started } = await interrupted();
    await pass(1_000);
    first.open();
    await pass();
    expect([handled.state, batch.resolved, started]).toEqual(['threw', ['10'], ['10']]);
  });

  test('what fails within the grace pauses nothing: the error makes the client join', async () => {
    const { run, hold, consumer } = bench({
      work: () => {
        throw new Error('no');
      },
    });
    const first = hold(10);
    const batch = fakeBatch(messages(1));
    const handled = run(batch);
    batch.does.heartbeat = vi.fn().mockRejectedValue(REBALANCE);
    await pass(500);
    first.open();
    await pass();
    expect([handled.state, consumer.calls]).toEqual(['threw', []]);
  });

  test('what ends later is not told until it is fetched again, joins its handler and runs once', async () => {
    const { first, batch, handled, started, run, consumer, eventsOf } = await interrupted();
    await pass(2_000);
    expect(handled.state).toBe('threw');
    consumer.join({ orders: [0] });
    const again = fakeBatch(messages(3));
    const redelivered = run(again);
    await pass();
    expect([redelivered.state, started]).toEqual(['running', ['10']]);
    first.open();
    await pass();
    expect([redelivered.state, started]).toEqual(['ended', ['10', '11', '12']]);
    expect([batch.resolved, again.resolved]).toEqual([[], ['10', '11', '12']]);
    expect(eventsOf('replayed')).toEqual([]);
  });

  test('a new batch goes on undisturbed after the join', async () => {
    const { first, run, consumer, started } = await interrupted();
    first.open();
    await pass();
    consumer.join({ orders: [0] });
    const next = fakeBatch([message(11), message(12)]);
    const handled = run(next);
    await pass();
    expect([handled.state, next.resolved, started]).toEqual(['ended', ['11', '12'], ['10', '11', '12']]);
  });

  test('a batch that comes before the join starts nothing, and throws the same error', async () => {
    const { first, run, started } = await interrupted();
    const next = fakeBatch([message(20)], { partition: 1 });
    const handled = run(next);
    await pass();
    expect([handled.state, started]).toEqual(['threw', ['10']]);
    expect(handled.error).toBe(REBALANCE);
    first.open();
  });
});

describe('any other error of a heartbeat', () => {
  test.each<unknown>([
    Object.assign(new Error('connection closed'), { name: 'KafkaJSConnectionClosedError' }),
    new TypeError('a bug'),
    refusal('REQUEST_TIMED_OUT'),
    'text',
  ])('is told, and the batch goes on: %s', async (error) => {
    const { run, hold, eventsOf } = bench();
    const first = hold(10);
    const batch = fakeBatch(messages(2));
    batch.does.heartbeat = vi.fn().mockRejectedValue(error);
    const handled = run(batch);
    await pass(500);
    expect(eventsOf('client-error')).toEqual([
      { type: 'client-error', verb: 'heartbeat', error: toEventError(error) },
    ]);
    await pass(5_000);
    expect(handled.state).toBe('running');
    first.open();
    await pass();
    expect([handled.state, batch.resolved]).toEqual(['ended', ['10', '11']]);
  });
});

describe("a handler's own heartbeat", () => {
  test('sends one, and commits when a second has passed', async () => {
    const { run, hold } = bench({ work: ({ heartbeat }) => heartbeat() });
    const second = hold(11);
    const batch = fakeBatch(messages(2));
    run(batch);
    await pass();
    expect([batch.counts.heartbeats, batch.committed]).toEqual([1, ['10']]);
    // The timer's own heartbeat, half a second after the last, commits.
    await pass(1_000);
    expect([batch.counts.heartbeats, batch.committed]).toEqual([3, ['10', '11']]);
    second.open();
    await pass();
    expect([batch.counts.heartbeats, batch.committed]).toEqual([4, ['10', '11', '12']]);
  });

  test.each([...MEMBERSHIP_ERRORS, new TypeError('a bug')])('never throws: %s', async (error) => {
    const ends: string[] = [];
    const { run } = bench({
      work: async ({ heartbeat }) => {
        await heartbeat();
        ends.push('beaten');
      },
    });
    const batch = fakeBatch(messages(1));
    batch.does.heartbeat = vi.fn().mockRejectedValue(error);
    run(batch);
    await pass();
    expect([ends, batch.resolved]).toEqual([['beaten'], ['10']]);
  });
});

describe('a partition that goes to another member', () => {
  test('has its handlers aborted, and its fetch ends at once: nothing more of it is told, started or paused', async () => {
    const { run, hold, started, attempts, consumer, eventsOf } = bench();
    const first = hold(10);
    const batch = fakeBatch(messages(3));
    const handled = run(batch);
    await pass();
    consumer.join({ orders: [1] });
    await pass();
    expect(handled.state).toBe('ended');
    expect(attempts[0]?.signal.reason).toMatchObject({ name: 'AbortError' });
    expect(eventsOf('partition-lost')).toEqual([{ type: 'partition-lost', topic: 'orders', partition: 0 }]);
    first.open();
    await pass(60_000);
    expect([batch.resolved, batch.committed]).toEqual([[], ['10']]);
    expect([started, consumer.calls, eventsOf('kept')]).toEqual([['10'], [], []]);
  });

  test('and whose handler fails is not paused', async () => {
    const { run, consumer, eventsOf } = bench({
      work: (_, { signal }) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
    });
    const handled = run(fakeBatch(messages(2)));
    await pass();
    consumer.join({});
    await pass();
    expect([handled.state, consumer.calls]).toEqual(['ended', []]);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
  });

  test('is paused no more, so that it is fetched when it comes back', async () => {
    const { run, consumer } = bench({
      work: () => {
        throw new Error('no');
      },
    });
    run(fakeBatch(messages(1)));
    await pass();
    expect(consumer.isPaused('orders', 0)).toBe(true);
    consumer.join({});
    expect(consumer.isPaused('orders', 0)).toBe(false);
  });

  test('leaves the handlers of other partitions alone: they are joined when their messages are fetched again', async () => {
    const { run, hold, consumer, attempts, started } = bench();
    consumer.join({ orders: [0, 1] });
    const ends = [10, 20].map(hold);
    const batch = () => fakeBatch([message(20)], { partition: 1 });
    const [other, again] = [batch(), batch()];
    run(fakeBatch(messages(1)));
    const before = run(other);
    await pass();
    consumer.join({ orders: [1] });
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    const after = run(again);
    await pass();
    expect([before.state, after.state]).toEqual(['ended', 'running']);
    for (const end of ends) end.open();
    await pass();
    expect([other.resolved, again.resolved, started]).toEqual([[], ['20'], ['10', '20']]);
  });
});

describe('the dead letter of a run that goes on', () => {
  async function failing(meanwhile: (bed: ReturnType<typeof bench>) => void) {
    const sent: unknown[] = [];
    const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };
    const bed = bench({
      onFailed: { deadLetterTopic: 'dead', producer },
      work: () => {
        throw new TerminalError('never');
      },
    });
    const held = bed.hold(10);
    bed.run(fakeBatch(messages(1)));
    await pass();
    meanwhile(bed);
    held.open();
    await pass();
    const before = sent.length;
    bed.consumer.join({ orders: [0] });
    const again = fakeBatch(messages(1));
    bed.run(again);
    await pass();
    expect([bed.started, again.resolved, sent.length]).toEqual([['10'], ['10'], 1]);
    return { ...bed, before };
  }

  test('when its partition has gone to another member is sent where that is acknowledged: by a replay', async () => {
    const { before, eventsOf } = await failing(({ consumer }) => {
      consumer.join({});
    });
    expect(before).toBe(0);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'failed' }]);
  });

  test('when its partition has come back meanwhile too', async () => {
    const { before } = await failing(({ consumer }) => {
      consumer.join({});
      consumer.join({ orders: [0] });
    });
    expect(before).toBe(0);
  });

  test('when its client has started again too', async () => {
    const { before } = await failing(({ consumer }) => {
      consumer.crash(new Error('no'), true);
      consumer.join({ orders: [0] });
    });
    expect(before).toBe(0);
  });

  test('when the group has met, and the partition has stayed, is sent by it alone', async () => {
    const { before } = await failing(({ consumer }) => {
      consumer.join({ orders: [0] });
    });
    expect(before).toBe(1);
  });

  test('is not sent of one that is refused either, and nothing is stuck at it', async () => {
    const sent: unknown[] = [];
    const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };
    const memory = createMemoryStore();
    const claims = gate();
    const store: Store = {
      ...memory,
      claim: async (...call) => {
        const replies = await memory.claim(...call);
        if (again) await claims.opened;
        return replies;
      },
    };
    let again = false;
    const { consumer, run, eventsOf } = bench({ store, onFailed: { deadLetterTopic: 'dead', producer } });
    run(fakeBatch([message(10)]));
    await pass();
    again = true;
    run(fakeBatch([message(10, { value: 'other' })]));
    await pass();
    consumer.join({});
    claims.open();
    await pass();
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'mismatch' }]);
    expect([sent, eventsOf('warning')]).toEqual([[], []]);
  });
});

describe('a partition that is not ours, fetched before the group met', () => {
  test('is left alone', async () => {
    const { run, consumer, started, events } = bench();
    consumer.join({ orders: [0, 1] });
    consumer.join({ orders: [0] });
    const batch = fakeBatch([message(20)], { partition: 1 });
    const handled = run(batch);
    await pass(60_000);
    expect([handled.state, started, batch.committed, batch.resolved]).toEqual(['ended', [], [], []]);
    expect([events, consumer.calls]).toEqual([[], []]);
  });
});

describe('a consumer that has crashed for good', () => {
  test('has its handlers aborted, since its partitions go to others', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { run, hold, consumer, attempts, eventsOf } = bench();
    const first = hold(10);
    const batch = fakeBatch(messages(1));
    run(batch);
    await pass();
    consumer.crash(new Error('no'), true);
    expect(attempts[0]?.signal.aborted).toBe(false);
    consumer.crash(new Error('no'), false);
    await pass();
    expect(attempts[0]?.signal.aborted).toBe(true);
    expect(eventsOf('warning')).toMatchObject([{ warning: 'CONSUMER_STOPPED' }]);
    first.open();
    await pass();
    expect(batch.resolved).toEqual([]);
    emitWarning.mockRestore();
  });
});

test('nothing of it is left when it has stopped, and it begins again with the next join', async () => {
  const { consumer } = bench({ admin: fakeAdmin() });
  await pass();
  expect(vi.getTimerCount()).toBe(1);
  await consumer.stop();
  expect(vi.getTimerCount()).toBe(0);
  consumer.join({ orders: [0] });
  await pass();
  expect(vi.getTimerCount()).toBe(1);
});
