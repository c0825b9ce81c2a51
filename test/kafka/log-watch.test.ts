import type { KafkaEvent } from 'handle-once/kafka';
import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { Assignments } from '../../adapters/kafka/partition/assignments.ts';
import { watchLogs } from '../../adapters/kafka/partition/log-watch.ts';
import type { Place } from '../../adapters/kafka/log/log-client.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { toEventError } from '../../src/reporting/event-error.ts';
import { pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { message } from './support/messages.ts';

useFakeTimers();

/** Partitions that were fetched, and ended at 100 then. Partition 2 was not fetched yet. */
function watched() {
  const events: KafkaEvent[] = [];
  const admin = fakeAdmin();
  const assignments = new Assignments(() => undefined, systemClock);
  assignments.joined({ orders: [0, 1, 2], invoices: [0] });
  const [orders, other, , invoices] = [
    { topic: 'orders', partition: 0 },
    { topic: 'orders', partition: 1 },
    { topic: 'orders', partition: 2 },
    { topic: 'invoices', partition: 0 },
  ].map((place) => assignments.trackerOf(place));
  for (const tracker of [orders, other, invoices]) {
    tracker?.begin({ from: 10n, end: 100n } as never);
    tracker?.ahead.add(message(15));
    void tracker?.commit({ commit: () => Promise.resolve() });
  }
  Object.assign(admin.ends, { 'orders/0': '100', 'orders/1': '100', 'orders/2': '100', 'invoices/0': '100' });
  const calls: string[] = [];
  const client = {
    commit: ({ topic, partition }: Place, position: bigint) => {
      calls.push(`commit ${topic}/${partition} ${position}`);
      return Promise.resolve();
    },
    moveTo: ({ topic, partition }: Place, position: bigint) => {
      calls.push(`move ${topic}/${partition} ${position}`);
    },
  };
  const watch = watchLogs({
    ...{ admin, assignments, groupId: 'billing', clock: systemClock },
    client: () => client,
    events: createEventSink<KafkaEvent>({ onEvent: (event) => events.push(event) }),
  });
  watch.begin();
  const remembered = () => [orders, other, invoices].map((tracker) => tracker?.ahead.look(message(15)));
  return { admin, assignments, calls, events, remembered, orders, watch };
}

type Watched = ReturnType<typeof watched>;

const shortened = (found: string) => ({
  ...{ type: 'log-changed', topic: 'orders', partition: 0, reason: 'end-went-back' },
  ...{ expected: '100', found },
});

test('each minute the ends of all topics are asked for, and nothing is told while they grow', async () => {
  const { admin, events, remembered } = watched();
  await pass(59_999);
  expect(admin.queries).toEqual([]);
  await pass(1);
  expect(admin.queries).toEqual(['fetchTopicOffsets orders', 'fetchTopicOffsets invoices']);
  admin.ends['orders/0'] = '101';
  await pass(60_000);
  expect([admin.queries.length, events]).toEqual([4, []]);
  expect(remembered()).toEqual(['acknowledged', 'acknowledged', 'acknowledged']);
});

test('a partition that ends before where it ended is told, once, and what is known of it is forgotten', async () => {
  const { admin, events, remembered } = watched();
  admin.ends['orders/0'] = '99';
  await pass(60_000);
  expect(events).toEqual([shortened('99')]);
  expect(remembered()).toEqual(['unknown', 'acknowledged', 'acknowledged']);
  await pass(600_000);
  expect(events).toHaveLength(1);
});

test('a fetch meanwhile may see a later end', async () => {
  const { admin, events, orders } = watched();
  const fetchTopicOffsets = admin.fetchTopicOffsets.bind(admin);
  Object.assign(admin, {
    fetchTopicOffsets: async (topic: string) => {
      const ends = await fetchTopicOffsets(topic);
      orders?.begin({ from: 10n, end: 200n } as never);
      return ends;
    },
  });
  await pass(60_000);
  expect(events).toEqual([]);
});

test('a topic that cannot be asked for is told, and the others are looked at', async () => {
  const { admin, events } = watched();
  const error = new Error('denied');
  const fetchTopicOffsets = admin.fetchTopicOffsets.bind(admin);
  Object.assign(admin, {
    fetchTopicOffsets: (topic: string) =>
      topic === 'invoices' ? Promise.reject(error) : fetchTopicOffsets(topic),
  });
  admin.ends['orders/0'] = '0';
  await pass(60_000);
  expect(events).toEqual([
    shortened('0'),
    { type: 'client-error', verb: 'watch', error: toEventError(error) },
  ]);
});

test('a partition that is not told is left alone', async () => {
  const { admin, events } = watched();
  delete admin.ends['orders/0'];
  await pass(60_000);
  expect(events).toEqual([]);
});

test('nothing is asked for when it has no partitions, as after a stop', async () => {
  const { admin, assignments } = watched();
  assignments.stopped();
  await pass(600_000);
  expect(admin.queries).toEqual([]);
});

describe('a partition whose position is not in the log any more', () => {
  /** It was read up to 10, and what is before 40 is gone. */
  async function overtaken(place = 'orders/0') {
    const bed = watched();
    await pass();
    bed.admin.lows[place] = '40';
    return bed;
  }

  test.each([['each minute'], ['at once when it is told to']])(
    'is read from the oldest message that is left where its client went to the end, looked for %s',
    async (when) => {
      const { calls, watch } = await overtaken();
      if (when === 'each minute') await pass(60_000);
      else await watch.look();
      expect(calls).toEqual(['commit orders/0 40', 'move orders/0 40']);
    },
  );

  test('is that also where others of its topic are not', async () => {
    const { calls, watch } = await overtaken('orders/1');
    await watch.look();
    expect(calls).toEqual(['commit orders/1 40', 'move orders/1 40']);
  });

  test('is left alone where it is not known to have been committed', async () => {
    const { calls, orders, watch } = await overtaken();
    orders?.committedElsewhere();
    await watch.look();
    expect(calls).toEqual([]);
  });

  test('is left alone where the group has a position', async () => {
    const { admin, calls, watch } = await overtaken();
    admin.committed['orders/0'] = '10';
    await watch.look();
    expect(calls).toEqual([]);
  });

  test.each([
    [
      'read on meanwhile',
      (bed: Watched) => {
        bed.orders?.advanceTo(50n);
      },
    ],
    [
      'given to another member meanwhile',
      ({ assignments }: Watched) => {
        assignments.joined({});
      },
    ],
  ])('is left alone where it is %s', async (_, happens) => {
    const bed = await overtaken();
    const fetchOffsets = bed.admin.fetchOffsets.bind(bed.admin);
    Object.assign(bed.admin, {
      fetchOffsets: async (query: { groupId: string; topics: string[] }) => {
        const answer = await fetchOffsets(query);
        happens(bed);
        return answer;
      },
    });
    await bed.watch.look();
    expect(bed.calls).toEqual([]);
  });
});

test('nothing is left of it at its end, and it can begin again', async () => {
  const { admin, watch } = watched();
  watch.begin();
  watch.end();
  expect(vi.getTimerCount()).toBe(0);
  await pass(60_000);
  expect(admin.queries).toEqual([]);
  watch.begin();
  await pass(60_000);
  expect(admin.queries).toHaveLength(2);
});
