import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TopicPartitions } from '../../adapters/kafka/log/log-client.ts';
import { UserPauses } from '../../adapters/kafka/partition/user-pauses.ts';
import { createSubscription } from './support/subscription.ts';

const of = (pauses: UserPauses, topic = 'orders'): number[] =>
  [0, 1, 2].filter((partition) => pauses.has({ topic, partition }));

describe('a pause', () => {
  test('of partitions is theirs, until each is resumed', () => {
    const pauses = new UserPauses();
    pauses.pause({ topic: 'orders', partitions: [0, 2] });
    expect([of(pauses), of(pauses, 'invoices')]).toEqual([[0, 2], []]);
    pauses.resume({ topic: 'orders', partitions: [0] });
    expect(of(pauses)).toEqual([2]);
  });

  test('of a topic is that of all its partitions, but for those that are resumed', () => {
    const pauses = new UserPauses();
    pauses.pause({ topic: 'orders' });
    expect([of(pauses), of(pauses, 'invoices')]).toEqual([[0, 1, 2], []]);
    pauses.resume({ topic: 'orders', partitions: [1] });
    expect(of(pauses)).toEqual([0, 2]);
    pauses.resume({ topic: 'orders' });
    expect(of(pauses)).toEqual([]);
  });

  test('is gone after clear', () => {
    const pauses = new UserPauses();
    pauses.pause({ topic: 'orders' });
    pauses.clear();
    expect(of(pauses)).toEqual([]);
  });
});

test('whatever is paused and resumed, it is what the client counts', () => {
  const topic = fc.constantFrom('orders', 'invoices');
  const partitions = fc.option(fc.subarray([0, 1, 2]), { nil: undefined });
  const call = fc.record({
    verb: fc.constantFrom('pause' as const, 'resume' as const),
    of: fc.oneof(
      fc.record({ topic, partitions: fc.subarray([0, 1, 2]) }),
      fc.record({ topic }),
      fc.record({ topic, partitions }),
    ),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      const [pauses, client] = [new UserPauses(), createSubscription()];
      for (const { verb, of: topics } of calls) {
        pauses[verb](topics satisfies TopicPartitions);
        client[verb]([topics]);
      }
      for (const name of ['orders', 'invoices']) {
        expect(of(pauses, name)).toEqual([0, 1, 2].filter((partition) => client.isPaused(name, partition)));
      }
    }),
    { numRuns: 500 },
  );
});
