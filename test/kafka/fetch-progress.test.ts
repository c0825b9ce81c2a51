import fc from 'fast-check';
import type { KafkaEvent, KafkaMessage } from 'handle-once/kafka';
import { describe, expect, test } from 'vitest';
import { Assignments } from '../../adapters/kafka/partition/assignments.ts';
import { FetchProgress } from '../../adapters/kafka/fetch/fetch-progress.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { toEventError } from '../../src/reporting/event-error.ts';
import { message } from './support/messages.ts';

const PLACE = { topic: 'orders', partition: 0 };
const messagesAt = (offsets: readonly (number | bigint)[]) =>
  offsets.map((offset) => message(String(offset)));

/** A partition, whose fetches note the positions that the client was told. */
function partition() {
  const events: KafkaEvent[] = [];
  const sink = createEventSink<KafkaEvent>({ onEvent: (event) => events.push(event) });
  const assignments = new Assignments(() => undefined, systemClock);
  assignments.joined({ orders: [0] });
  const fetched = (messages: readonly KafkaMessage[], to?: bigint) => {
    const tracker = assignments.trackerOf(PLACE);
    if (tracker === undefined) throw new Error('it is ours');
    const told: bigint[] = [];
    const does = { advance: () => true };
    const fetch = {
      ...{ ...PLACE, messages, from: BigInt(messages[0]?.offset ?? 0), end: 0n },
      to: to ?? BigInt(messages.at(-1)?.offset ?? 0) + 1n,
      advance: (position: bigint) => {
        const isTaken = does.advance();
        told.push(position);
        return isTaken;
      },
      commit: () => Promise.resolve(),
      heartbeat: () => Promise.resolve(),
      isRunning: () => true,
      isStale: () => false,
    };
    tracker.begin(fetch);
    const options = { fetch, tracker, generation: assignments.generation, events: sink };
    return { told, does, tracker, progress: new FetchProgress(options) };
  };
  return { fetched, assignments, events };
}

/** The offsets that have to run. */
const offsetsOf = (messages: readonly KafkaMessage[]) => messages.map(({ offset }) => offset);

/** Offsets with gaps, and an order in which some or all of their messages acknowledge. */
const batches = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { minLength: 1, maxLength: 12 })
  .map((offsets) => offsets.sort((a, b) => (a < b ? -1 : 1)))
  .chain((offsets) =>
    fc.record({
      offsets: fc.constant(offsets),
      order: fc.shuffledSubarray(offsets.map((_, index) => index)),
    }),
  );

const settleAll = (progress: FetchProgress, messages: readonly KafkaMessage[], order: readonly number[]) => {
  for (const index of order) {
    const one = messages[index];
    if (one !== undefined) progress.acknowledge(one);
  }
};

describe('the position that is told', () => {
  test('is, after every step, that after the settled prefix, and none is told twice', () => {
    fc.assert(
      fc.property(batches, ({ offsets, order }) => {
        const messages = messagesAt(offsets);
        const { told, progress } = partition().fetched(messages);
        const settled = new Set<number>();
        for (const index of order) {
          const before = told.length;
          settleAll(progress, messages, [index]);
          settled.add(index);
          const gap = messages.findIndex((_, at) => !settled.has(at));
          const last = offsets[(gap === -1 ? messages.length : gap) - 1];
          expect(told.at(-1)).toBe(last === undefined ? undefined : last + 1n);
          expect(told.length - before).toBeLessThanOrEqual(1);
        }
        expect(told).toEqual([...new Set(told)].sort((a, b) => (a < b ? -1 : 1)));
      }),
    );
  });

  test('is the end of the fetch when all have settled, in any order', () => {
    fc.assert(
      fc.property(batches, ({ offsets, order }) => {
        const messages = messagesAt(offsets);
        const { told, progress } = partition().fetched(messages, 2n ** 63n + 7n);
        const rest = offsets.map((_, index) => index).filter((index) => !order.includes(index));
        settleAll(progress, messages, [...order, ...rest]);
        expect(told.at(-1)).toBe(2n ** 63n + 7n);
      }),
    );
  });

  test('is not told again for what settles again', () => {
    const messages = messagesAt([5, 9]);
    const { told, progress } = partition().fetched(messages);
    settleAll(progress, messages, [0, 0, 1, 0, 1]);
    expect(told).toEqual([6n, 10n]);
  });

  test('is exact, however large offsets are', () => {
    const messages = messagesAt([9_007_199_254_740_993n, 9_223_372_036_854_775_806n]);
    const { told, progress } = partition().fetched(messages);
    settleAll(progress, messages, [1]);
    expect(told).toEqual([]);
    settleAll(progress, messages, [0]);
    expect(told).toEqual([9_223_372_036_854_775_807n]);
  });

  test('is where the next fetch begins', () => {
    const { fetched, events } = partition();
    const messages = messagesAt([10, 11]);
    const { progress, tracker } = fetched(messages, 20n);
    settleAll(progress, messages, [0, 1]);
    expect(tracker.begin({ from: 20n, end: 0n } as never)).toBeUndefined();
    expect(events).toEqual([]);
  });
});

describe('what is settled ahead', () => {
  test('is not run again when it is fetched again, with what fell behind it', () => {
    const { fetched } = partition();
    const first = fetched(messagesAt([10, 11, 12, 13]));
    expect(offsetsOf(first.progress.unacknowledged())).toEqual(['10', '11', '12', '13']);
    settleAll(first.progress, messagesAt([11, 13]), [0, 1]);
    first.progress.end();
    const messages = messagesAt([10, 11, 12, 13]);
    const second = fetched(messages);
    expect(offsetsOf(second.progress.unacknowledged())).toEqual(['10', '12']);
    settleAll(second.progress, messages, [0]);
    expect(second.told).toEqual([12n]);
    settleAll(second.progress, messages, [2]);
    expect(second.told).toEqual([12n, 14n]);
  });

  test('at the beginning of the next fetch is told before anything runs', () => {
    const { fetched } = partition();
    const first = fetched(messagesAt([10, 11]));
    first.progress.end();
    // The handler has outlived its fetch.
    settleAll(first.progress, messagesAt([10]), [0]);
    expect(first.told).toEqual([]);
    const second = fetched(messagesAt([10, 11]));
    expect(offsetsOf(second.progress.unacknowledged())).toEqual(['11']);
    expect(second.told).toEqual([11n]);
  });

  test('all of it: nothing runs, and the end of the fetch is told', () => {
    const { fetched } = partition();
    const first = fetched(messagesAt([10, 11]));
    first.progress.end();
    settleAll(first.progress, messagesAt([10, 11]), [0, 1]);
    const second = fetched(messagesAt([10, 11]), 15n);
    expect([second.progress.unacknowledged(), second.told]).toEqual([[], [15n]]);
  });

  test('is remembered no more once its position is told', () => {
    const { fetched } = partition();
    const messages = messagesAt([10, 11]);
    const { progress, tracker } = fetched(messages);
    settleAll(progress, messages, [1, 0]);
    expect(messages.map((one) => tracker.ahead.look(one))).toEqual(['unknown', 'unknown']);
  });

  test('with other content at its offset runs, and is told of', () => {
    const { fetched, events } = partition();
    const first = fetched(messagesAt([10, 11]));
    settleAll(first.progress, messagesAt([11]), [0]);
    const second = fetched([message(10), message(11, { value: 'other' })]);
    expect(offsetsOf(second.progress.unacknowledged())).toEqual(['10', '11']);
    expect(events).toEqual([
      { type: 'log-changed', ...PLACE, reason: 'content-changed', expected: '11', found: '11' },
    ]);
  });
});

describe('nothing is told', () => {
  test('after the end of the fetch: what is in line may start, and nothing joins it', () => {
    const { told, progress } = partition().fetched(messagesAt([10]));
    expect([progress.isHalted, progress.isEnded]).toEqual([false, false]);
    progress.end();
    settleAll(progress, messagesAt([10]), [0]);
    expect([told, progress.isHalted, progress.isEnded]).toEqual([[], false, true]);
  });

  test('after the end of the fetch, once the partition was read elsewhere: nothing may start', () => {
    const { fetched } = partition();
    const { progress } = fetched(messagesAt([10]));
    progress.end();
    fetched(messagesAt([50]));
    expect(progress.isHalted).toBe(true);
  });

  test.each<[string, Record<string, number[]>]>([
    ['another member has the partition', {}],
    ['the group has met again', { orders: [0] }],
  ])('when %s', (_, assignment) => {
    const { fetched, assignments } = partition();
    const messages = messagesAt([10]);
    const { told, progress } = fetched(messages);
    assignments.joined(assignment);
    settleAll(progress, messages, [0]);
    expect(told).toEqual([]);
  });
});

test('a client that knows nothing of the fetch any more is told of, and nothing more may start', () => {
  const { fetched, events } = partition();
  const messages = messagesAt([10, 11]);
  const { progress, does } = fetched(messages);
  const error = new TypeError("Cannot set properties of undefined (setting '0')");
  does.advance = () => {
    throw error;
  };
  settleAll(progress, messages, [0]);
  expect(events).toEqual([{ type: 'client-error', verb: 'resolve', error: toEventError(error) }]);
  expect(progress.isHalted).toBe(true);
});

test('what is acknowledged ahead stays remembered where the client refuses the position', () => {
  const { fetched } = partition();
  const messages = messagesAt([10, 11]);
  const { progress, does, tracker } = fetched(messages);
  does.advance = () => {
    throw new Error('the group has met again');
  };
  settleAll(progress, messages, [1, 0]);
  expect(messages.map((one) => tracker.ahead.look(one))).toEqual(['unknown', 'acknowledged']);
});

test('what a seek has made void moves no position', () => {
  const messages = messagesAt([10]);
  const { progress, does, tracker } = partition().fetched(messages);
  tracker.moved(10n);
  does.advance = () => false;
  settleAll(progress, messages, [0]);
  expect(tracker.position).toBeUndefined();
});

test('a halt keeps what runs from nothing: it is told when it settles', () => {
  const messages = messagesAt([10]);
  const { told, progress } = partition().fetched(messages);
  progress.halt();
  settleAll(progress, messages, [0]);
  expect([told, progress.isHalted]).toEqual([[11n], true]);
});
