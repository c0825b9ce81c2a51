import type { KafkaEvent } from 'handle-once/kafka';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAssignments } from '../../adapters/kafka/partition/assignments.ts';
import type { Place } from '../../adapters/kafka/client/log-client.ts';
import { holdStartPositions } from '../../adapters/kafka/partition/start-positions.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';

vi.mock('node:timers/promises', () => import('./support/fake-sleep.ts'));

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function startWith(assignment: Record<string, number[]>) {
  const admin = fakeAdmin();
  const events: KafkaEvent[] = [];
  const held = new Set<string>();
  const started: string[] = [];
  const moved: string[] = [];
  const assignments = createAssignments(() => undefined);
  assignments.joined(assignment);
  const nameOf = ({ topic, partition }: Place) => `${topic}/${partition}`;
  const does = {
    commit: (place: Place, position: bigint): Promise<void> => {
      admin.committed[nameOf(place)] = String(position);
      return Promise.resolve();
    },
  };
  const client = {
    commit: (place: Place, position: bigint) => {
      started.push(`${nameOf(place)} ${position}`);
      return does.commit(place, position);
    },
    moveTo: (place: Place, position: bigint) => {
      moved.push(`${nameOf(place)} ${position}`);
    },
  };
  const movedByUser = new Set<string>();
  const pauses = {
    hold: (place: Place) => {
      held.add(nameOf(place));
      return () => held.delete(nameOf(place));
    },
  };
  const options = {
    ...{ client, pauses, admin, groupId: 'workers' },
    isMovedByUser: (place: Place) => movedByUser.has(nameOf(place)),
    events: createEventSink<KafkaEvent>({ onEvent: (event) => events.push(event) }),
  };
  const start = () => holdStartPositions(assignment, assignments.generation(), options);
  return { admin, events, held, started, moved, movedByUser, assignments, does, start };
}

test('the end of each partition without a committed position is committed; until then all are held', async () => {
  const { admin, held, started, start, events } = startWith({ orders: [0, 1, 2], invoices: [0] });
  Object.assign(admin.ends, {
    'orders/0': '5',
    'orders/1': '6',
    'orders/2': '7',
    'orders/3': '8',
    'invoices/0': '0',
  });
  Object.assign(admin.committed, { 'orders/1': '0' });
  const done = start();
  expect([...held]).toEqual(['orders/0', 'orders/1', 'orders/2', 'invoices/0']);
  await done;
  expect(started).toEqual(['orders/0 5', 'orders/2 7', 'invoices/0 0']);
  expect([held.size, events, admin.queries[0]]).toEqual([0, [], 'fetchOffsets workers orders invoices']);
});

test('a partition is moved to its start once that is committed', async () => {
  const { admin, moved, start, does } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  const { commit } = does;
  does.commit = () => Promise.resolve();
  const done = start();
  await pass();
  expect(moved).toEqual([]);
  does.commit = commit;
  await pass(200);
  await done;
  expect(moved).toEqual(['orders/0 5']);
});

test('what another member has committed meanwhile stands, and nothing is moved', async () => {
  const { admin, moved, held, start, does } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  does.commit = () => Promise.resolve(void (admin.committed['orders/0'] = '1'));
  await start();
  expect([moved, held.size, admin.committed]).toEqual([[], 0, { 'orders/0': '1' }]);
});

test('a partition that the user has moved begins there', async () => {
  const { admin, moved, movedByUser, started, held, start } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  movedByUser.add('orders/0');
  await start();
  expect([started, moved, held.size]).toEqual([[], [], 0]);
});

test.each([
  ['before the oldest message', '1'],
  ['after the end', '9'],
])(
  'a committed position %s is told, and the oldest message that is left comes next',
  async (_, committed) => {
    const { admin, moved, start, events } = startWith({ orders: [0] });
    Object.assign(admin.ends, { 'orders/0': '5' });
    admin.lows['orders/0'] = '3';
    admin.committed['orders/0'] = committed;
    await start();
    expect([moved, admin.committed]).toEqual([['orders/0 3'], { 'orders/0': '3' }]);
    expect(events).toEqual([
      {
        ...{ type: 'log-changed', topic: 'orders', partition: 0, reason: 'position-moved' },
        ...{ expected: committed, found: '3' },
      },
    ]);
  },
);

test('where everything is committed, nothing is moved', async () => {
  const { admin, started, start, held } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  admin.committed['orders/0'] = '3';
  await start();
  expect([held.size, started]).toEqual([0, []]);
});

describe('a commit that the client leaves out before its first fetch', () => {
  test('is made again until the group has it, and passes nothing that has come meanwhile', async () => {
    const { admin, held, started, start, does } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    const { commit } = does;
    does.commit = () => Promise.resolve();
    let isDone = false;
    void start().then(() => (isDone = true));
    await pass(199);
    expect([started, held.size]).toEqual([['orders/0 5'], 1]);
    admin.ends['orders/0'] = '6';
    does.commit = commit;
    await pass(1);
    expect([started, held.size, isDone]).toEqual([['orders/0 5', 'orders/0 5'], 0, true]);
  });

  test('is left to the next generation when the group meets again', async () => {
    const { admin, held, started, start, does, assignments } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    does.commit = () => Promise.resolve();
    void start();
    await pass();
    assignments.joined({});
    await pass(60_000);
    expect([started.length, held.size]).toEqual([1, 0]);
  });
});

test('nothing is moved when the group has met again while the ends were asked for', async () => {
  const { admin, started, start, assignments } = startWith({ orders: [0, 1] });
  const fetchTopicOffsets = admin.fetchTopicOffsets.bind(admin);
  Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '5' });
  Object.assign(admin, {
    fetchTopicOffsets: (topic: string) => {
      assignments.joined({});
      return fetchTopicOffsets(topic);
    },
  });
  const done = start();
  await pass(200);
  await done;
  expect(started).toEqual([]);
});

test.each([
  ['an error', new Error('denied'), 'denied'],
  ['anything', 'denied', 'unknown error'],
])('when that fails with %s, it is warned of, and everything is fetched', async (_, error, why) => {
  const { admin, held, start, events } = startWith({ orders: [0] });
  admin.error = error;
  await start();
  expect(held.size).toBe(0);
  const message = expect.stringMatching(new RegExp(`could not be committed: .*\\(${why}\\)$`)) as string;
  expect(events).toEqual([{ type: 'warning', warning: 'START_NOT_COMMITTED', message }]);
});
