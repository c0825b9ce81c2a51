import { describe, expect, test, vi } from 'vitest';
import { Assignments } from '../../adapters/kafka/partition/assignments.ts';
import type { Place } from '../../adapters/kafka/log/log-client.ts';
import type { PartitionTracker } from '../../adapters/kafka/partition/partition-tracker.ts';
import { systemClock } from '../../src/lib/clock.ts';

const PLACE = { topic: 'orders', partition: 0 };

function assignmentsWith(assignment: Record<string, number[]> = { orders: [0, 1] }) {
  const lost: Place[] = [];
  const assignments = new Assignments(({ topic, partition }) => lost.push({ topic, partition }), systemClock);
  assignments.joined(assignment);
  /** The tracker of a partition that is ours. */
  const ours = (place: Place): PartitionTracker => {
    const tracker = assignments.trackerOf(place);
    if (tracker === undefined) throw new Error('it is not ours');
    return tracker;
  };
  return { assignments, lost, ours };
}

describe('a tracker', () => {
  test('is one for all fetches of a partition, across a rejoin that leaves it with us', () => {
    const { assignments, ours, lost } = assignmentsWith();
    const before = ours(PLACE);
    assignments.joined({ orders: [1, 0] });
    expect(ours({ ...PLACE })).toBe(before);
    expect([before.ownership.isOver, before.ownership.signal.aborted, lost]).toEqual([false, false, []]);
  });

  test.each([
    ['before the group has met', undefined],
    ['of another partition', { orders: [1] }],
    ['of another topic', { invoices: [0] }],
  ])('is not made %s', (_, assignment) => {
    const assignments = new Assignments(() => undefined, systemClock);
    if (assignment !== undefined) assignments.joined(assignment);
    expect(assignments.trackerOf(PLACE)).toBeUndefined();
    expect(assignments.trackers()).toEqual([]);
  });

  test.each([
    ['another partition', { orders: [1] }],
    ['another topic', { invoices: [0], orders: [1] }],
  ])('is over once the group has given us %s', (_, assignment) => {
    const { assignments, ours, lost } = assignmentsWith();
    const tracker = ours(PLACE);
    const other = ours({ topic: 'orders', partition: 1 });
    assignments.joined(assignment);
    expect([tracker.ownership.isOver, tracker.ownership.signal.aborted]).toEqual([true, true]);
    expect(tracker.ownership.signal.reason).toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(/another member/) as string,
    });
    expect([other.ownership.isOver, other.ownership.signal.aborted]).toEqual([false, false]);
    expect(lost).toEqual([PLACE]);
    expect(assignments.trackerOf(PLACE)).toBeUndefined();
    expect(assignments.trackers()).toEqual([other]);
  });

  test('is another when the partition comes back; the old one stays over', () => {
    const { assignments, ours, lost } = assignmentsWith();
    const old = ours(PLACE);
    assignments.joined({});
    assignments.joined({ orders: [0] });
    const renewed = ours(PLACE);
    expect([old.ownership.isOver, renewed.ownership.isOver, renewed.ownership.signal.aborted]).toEqual([
      true,
      false,
      false,
    ]);
    assignments.joined({});
    expect(lost).toEqual([PLACE, PLACE]);
  });

  test('is told as lost once, however often the group rebalances without it', () => {
    const { assignments, ours, lost } = assignmentsWith();
    ours(PLACE);
    assignments.joined({});
    assignments.joined({ orders: [1] });
    expect(lost).toEqual([PLACE]);
  });

  test('of topics and partitions whose names are alike is its own', () => {
    const { assignments, ours } = assignmentsWith({ 'orders-1': [1], 'orders-': [11] });
    const trackers = [ours({ topic: 'orders-1', partition: 1 }), ours({ topic: 'orders-', partition: 11 })];
    assignments.joined({ 'orders-1': [1] });
    expect(trackers.map(({ ownership }) => ownership.isOver)).toEqual([false, true]);
  });
});

describe('an abort of all', () => {
  test('aborts the handlers of all partitions, which stay ours', () => {
    const { assignments, ours, lost } = assignmentsWith({ orders: [0], invoices: [7] });
    const trackers = [ours(PLACE), ours({ topic: 'invoices', partition: 7 })];
    assignments.abortAll('the consumer stops');
    for (const tracker of trackers) {
      expect([tracker.ownership.signal.aborted, tracker.ownership.isOver]).toEqual([true, false]);
      expect(tracker.ownership.signal.reason).toMatchObject({
        name: 'AbortError',
        message: 'the consumer stops',
      });
    }
    expect(lost).toEqual([]);
  });

  test('is not felt after the next join', () => {
    const { assignments, ours, lost } = assignmentsWith();
    ours(PLACE);
    assignments.abortAll('the consumer stops');
    assignments.joined({ orders: [0] });
    expect(ours(PLACE).ownership.signal.aborted).toBe(false);
    expect(lost).toEqual([]);
  });
});

describe('after a stop', () => {
  test('no partition is ours, and what runs on can still be aborted', () => {
    const { assignments, ours, lost } = assignmentsWith();
    const tracker = ours(PLACE);
    assignments.stopped();
    expect([assignments.trackerOf(PLACE), assignments.trackers()]).toEqual([undefined, []]);
    expect([tracker.ownership.isOver, tracker.ownership.signal.aborted, lost]).toEqual([false, false, []]);
    assignments.abortAll('the consumer stops');
    expect(tracker.ownership.signal.aborted).toBe(true);
  });

  test('what runs on is aborted when its partition has gone to another member', () => {
    const { assignments, ours, lost } = assignmentsWith();
    const [gone, kept] = [ours(PLACE), ours({ topic: 'orders', partition: 1 })];
    assignments.stopped();
    assignments.joined({ orders: [1] });
    expect([gone.ownership.signal.aborted, gone.ownership.isOver, lost]).toEqual([true, true, [PLACE]]);
    expect(kept.ownership.signal.aborted).toBe(false);
    assignments.abortAll('the consumer stops');
    expect(kept.ownership.signal.aborted).toBe(true);
  });
});

describe('a generation', () => {
  test('is interrupted with the very error that the group gave, and the first counts', () => {
    const { assignments } = assignmentsWith();
    const error = new Error('rebalance in progress');
    const generation = assignments.generation;
    generation.interrupt(error);
    generation.interrupt(new Error('once more'));
    expect(generation.interrupted.reason).toBe(error);
    expect(generation.over.aborted).toBe(false);
  });

  test('leaves handlers alone when it ends, and is another after the join', () => {
    const { assignments, ours } = assignmentsWith();
    const tracker = ours(PLACE);
    const old = assignments.generation;
    old.interrupt(new Error('rebalance in progress'));
    expect(tracker.ownership.signal.aborted).toBe(false);
    assignments.joined({ orders: [0] });
    // A heartbeat of before the join, answered after it.
    old.interrupt(new Error('illegal generation'));
    const { interrupted, over } = assignments.generation;
    expect([old.interrupted.aborted, old.over.aborted]).toEqual([true, true]);
    expect([interrupted.aborted, over.aborted, tracker.ownership.signal.aborted]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('is over after a stop, and has not been interrupted', () => {
    const { assignments } = assignmentsWith();
    const ended = vi.fn();
    const { interrupted, over } = assignments.generation;
    over.addEventListener('abort', ended);
    assignments.stopped();
    expect(ended).toHaveBeenCalledOnce();
    expect(interrupted.aborted).toBe(false);
  });
});
