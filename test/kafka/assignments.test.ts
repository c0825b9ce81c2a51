import { describe, expect, test, vi } from 'vitest';
import { isMembershipError } from '../../adapters/kafka/kafka-client.ts';
import { createMembership } from '../../adapters/kafka/membership.ts';

function membershipWith() {
  const onLost = vi.fn<(topic: string, partition: number) => void>();
  return { membership: createMembership(onLost), onLost };
}

describe('a tenure', () => {
  test('is one for all batches of a partition, across a rejoin that leaves it with us', () => {
    const { membership, onLost } = membershipWith();
    const before = membership.tenureOf('orders', 0);
    membership.joined({ orders: [1, 0] });
    const after = membership.tenureOf('orders', 0);
    expect(after.signal).toBe(before.signal);
    expect([before.isOver(), before.signal.aborted]).toEqual([false, false]);
    expect(onLost).not.toHaveBeenCalled();
  });

  test.each([
    ['another partition', { orders: [1] }],
    ['another topic', { invoices: [0] }],
    ['nothing', {}],
  ])('is over once the group has given us %s', (_, assignment) => {
    const { membership, onLost } = membershipWith();
    const tenure = membership.tenureOf('orders', 0);
    const other = membership.tenureOf('orders', 1);
    membership.joined({ orders: [1], ...assignment });
    expect([tenure.isOver(), tenure.signal.aborted]).toEqual([true, true]);
    expect(tenure.signal.reason).toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(/another member/) as string,
    });
    expect([other.isOver(), other.signal.aborted]).toEqual([false, false]);
    expect(onLost.mock.calls).toEqual([['orders', 0]]);
  });

  test('begins anew when the partition comes back; the old one stays over', () => {
    const { membership, onLost } = membershipWith();
    const old = membership.tenureOf('orders', 0);
    membership.joined({});
    membership.joined({ orders: [0] });
    const renewed = membership.tenureOf('orders', 0);
    expect([old.isOver(), renewed.isOver(), renewed.signal.aborted]).toEqual([true, false, false]);
    membership.joined({});
    expect(onLost).toHaveBeenCalledTimes(2);
  });

  test('is told as over once, however often the group rebalances without it', () => {
    const { membership, onLost } = membershipWith();
    membership.tenureOf('orders', 0);
    membership.joined({});
    membership.joined({ orders: [1] });
    expect(onLost).toHaveBeenCalledOnce();
  });

  test('of topics and partitions whose names are alike are told apart', () => {
    const { membership } = membershipWith();
    const tenures = [membership.tenureOf('orders-1', 1), membership.tenureOf('orders-', 11)];
    membership.joined({ 'orders-1': [1] });
    expect(tenures.map((tenure) => tenure.isOver())).toEqual([false, true]);
  });
});

describe('a stop', () => {
  test('aborts the handlers of all partitions, which stay ours', () => {
    const { membership, onLost } = membershipWith();
    const tenures = [membership.tenureOf('orders', 0), membership.tenureOf('invoices', 7)];
    membership.abortAll('the consumer stops');
    for (const tenure of tenures) {
      expect([tenure.signal.aborted, tenure.isOver()]).toEqual([true, false]);
      expect(tenure.signal.reason).toMatchObject({ name: 'AbortError', message: 'the consumer stops' });
    }
    expect(onLost).not.toHaveBeenCalled();
  });

  test('is not felt after the next join', () => {
    const { membership, onLost } = membershipWith();
    membership.tenureOf('orders', 0);
    membership.abortAll('the consumer stops');
    membership.joined({ orders: [0] });
    expect(membership.tenureOf('orders', 0).signal.aborted).toBe(false);
    expect(onLost).not.toHaveBeenCalled();
  });
});

describe('a generation', () => {
  test('aborts with the very error that the group gave, and the first counts', () => {
    const { membership } = membershipWith();
    const error = new Error('rebalance in progress');
    const generation = membership.generation();
    generation.interrupt(error);
    generation.interrupt(new Error('once more'));
    expect(generation.signal.reason).toBe(error);
  });

  test('leaves handlers alone when it ends, and is another after the join', () => {
    const { membership } = membershipWith();
    const tenure = membership.tenureOf('orders', 0);
    const old = membership.generation();
    old.interrupt(new Error('rebalance in progress'));
    expect(tenure.signal.aborted).toBe(false);
    membership.joined({ orders: [0] });
    // A heartbeat of before the join, answered after it.
    old.interrupt(new Error('illegal generation'));
    const { signal } = membership.generation();
    expect([old.signal.aborted, signal.aborted, tenure.signal.aborted]).toEqual([true, false, false]);
  });
});

describe('an error of the membership', () => {
  const withType = (type: unknown) => Object.assign(new Error('no'), { type });

  test.each([
    'REBALANCE_IN_PROGRESS',
    'NOT_COORDINATOR_FOR_GROUP',
    'ILLEGAL_GENERATION',
    'UNKNOWN_MEMBER_ID',
  ])('%s makes the client join again', (type) => {
    expect(isMembershipError(withType(type))).toBe(true);
  });

  test.each([
    withType('NOT_LEADER_FOR_PARTITION'),
    withType(undefined),
    new Error('REBALANCE_IN_PROGRESS'),
    { type: 'REBALANCE_IN_PROGRESS' },
    'REBALANCE_IN_PROGRESS',
    undefined,
  ])('%o does not', (error) => {
    expect(isMembershipError(error)).toBe(false);
  });
});
