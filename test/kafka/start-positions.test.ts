import type { KafkaEvent } from 'handle-once/kafka';
import { describe, expect, test } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { Assignments } from '../../adapters/kafka/partition/assignments.ts';
import type { Place } from '../../adapters/kafka/log/log-client.ts';
import { holdStartPositions } from '../../adapters/kafka/partition/topic-starts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';

useFakeTimers();

function startWith(assignment: Record<string, number[]>, from?: 'beginning') {
  const admin = fakeAdmin();
  const events: KafkaEvent[] = [];
  const held = new Set<string>();
  const started: string[] = [];
  const moved: string[] = [];
  const resumed: string[] = [];
  const assignments = new Assignments(() => undefined, systemClock);
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
    endsMembership: (error: unknown): error is Error =>
      error instanceof Error && 'type' in error && error.type === 'REBALANCE_IN_PROGRESS',
  };
  const pauses = {
    hold: (place: Place) => {
      held.add(nameOf(place));
      return () => {
        resumed.push(nameOf(place));
        held.delete(nameOf(place));
      };
    },
  };
  const options = {
    ...{
      clock: systemClock,
      client,
      pauses,
      admin,
      groupId: 'workers',
      from,
      assignments,
      ...(from === undefined && { foundEnds: new Map<string, bigint>() }),
    },
    events: createEventSink<KafkaEvent>({ onEvent: (event) => events.push(event) }),
  };
  const start = () => holdStartPositions(assignment, assignments.generation, options);
  /** Lets the client hand over a first fetch of partition 0 of orders, and commit where it begins. */
  const fetched = async (position: bigint, commit = () => Promise.resolve()) => {
    const tracker = assignments.trackerOf({ topic: 'orders', partition: 0 });
    tracker?.begin({ from: position, end: position } as never);
    await tracker?.commit({ commit });
  };
  return { admin, events, held, started, moved, resumed, assignments, does, start, fetched };
}

/** Answers of an admin client that tests replace, such as `fetchOffsets`. */
function replaceOf<Name extends 'fetchOffsets' | 'fetchTopicOffsets'>(
  admin: ReturnType<typeof fakeAdmin>,
  name: Name,
  change: (before: (typeof admin)[Name]) => (typeof admin)[Name],
): void {
  Object.assign(admin, { [name]: change(admin[name].bind(admin) as (typeof admin)[Name]) });
}

const PATIENCE_MS = 5_000;

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
  expect(started.toSorted()).toEqual(['invoices/0 0', 'orders/0 5', 'orders/2 7']);
  expect([held.size, events, admin.queries.slice(0, 2)]).toEqual([
    ...[0, []],
    ['fetchOffsets workers orders', 'fetchOffsets workers invoices'],
  ]);
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

test('an end that an earlier generation found stays the start while nothing is committed', async () => {
  const { admin, started, assignments, start, does } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '1';
  const { commit } = does;
  // It lands late.
  does.commit = () => Promise.resolve();
  const first = start();
  await pass();
  assignments.joined({ orders: [0] });
  await pass(200);
  await first;
  admin.ends['orders/0'] = '2';
  does.commit = commit;
  const second = start();
  await pass(200);
  await second;
  expect(new Set(started)).toEqual(new Set(['orders/0 1']));
});

describe('an end that an earlier generation found is passed', () => {
  /** The end of the partition was found to be 5. */
  async function foundEnd() {
    const bed = startWith({ orders: [0] });
    bed.admin.ends['orders/0'] = '5';
    await bed.start();
    bed.admin.committed['orders/0'] = '-1';
    bed.assignments.joined({ orders: [0] });
    return bed;
  }

  test.each([
    ['ends before it', '0', '2', '2'],
    ['begins behind it', '7', '9', '7'],
  ])('where the log %s', async (_, low, high, start) => {
    const bed = await foundEnd();
    bed.admin.lows['orders/0'] = low;
    bed.admin.ends['orders/0'] = high;
    await bed.start();
    expect(bed.started).toEqual(['orders/0 5', `orders/0 ${start}`]);
  });
});

test('a position that was gone is no end that was found', async () => {
  const { admin, assignments, started, start } = startWith({ orders: [0] });
  Object.assign(admin.ends, { 'orders/0': '5' });
  admin.lows['orders/0'] = '3';
  admin.committed['orders/0'] = '1';
  await start();
  admin.committed['orders/0'] = '-1';
  assignments.joined({ orders: [0] });
  await start();
  expect(started).toEqual(['orders/0 3', 'orders/0 5']);
});

test('partitions of other members are passed over in the answers', async () => {
  const { admin, started, start } = startWith({ orders: [0] });
  Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '6' });
  const offset = () => admin.committed['orders/0'] ?? '-1';
  replaceOf(
    admin,
    'fetchOffsets',
    () => () => Promise.resolve([{ topic: 'orders', partitions: [{ partition: 0, offset: offset() }] }]),
  );
  void start();
  await pass();
  expect(started).toEqual(['orders/0 5']);
});

test('what another member has committed meanwhile stands, and nothing is moved', async () => {
  const { admin, moved, held, start, does } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  does.commit = () => Promise.resolve(void (admin.committed['orders/0'] = '1'));
  await start();
  expect([moved, held.size, admin.committed]).toEqual([[], 0, { 'orders/0': '1' }]);
});

test('a partition that the user has moved begins there, and no other', async () => {
  const { admin, moved, assignments, started, held, start } = startWith({ orders: [0, 1], invoices: [0] });
  Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '6', 'invoices/0': '7' });
  assignments.trackerOf({ topic: 'orders', partition: 0 })?.moved(2n);
  await start();
  const others = ['invoices/0 7', 'orders/1 6'];
  expect([started.toSorted(), moved.toSorted(), held.size]).toEqual([others, others, 0]);
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

describe('each partition is held for itself', () => {
  test('one whose position is known to be committed goes on while another waits for its own', async () => {
    const { admin, held, start, does } = startWith({ orders: [0, 1, 2] });
    Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '5', 'orders/2': '5' });
    admin.committed['orders/0'] = '3';
    const { commit } = does;
    does.commit = (place, position) => (place.partition === 1 ? Promise.resolve() : commit(place, position));
    void start();
    await pass();
    expect([...held]).toEqual(['orders/1']);
    does.commit = commit;
    await pass(200);
    expect(held.size).toBe(0);
  });

  test.each([[undefined], ['beginning' as const]])(
    'a topic that cannot be asked for keeps no other: from %s',
    async (from) => {
      const { admin, held, start, events, started } = startWith({ orders: [0], invoices: [0] }, from);
      Object.assign(admin.ends, { 'orders/0': '5', 'invoices/0': '5' });
      replaceOf(admin, 'fetchTopicOffsets', (ask) => (topic) => {
        return topic === 'invoices' ? Promise.reject(new Error('denied')) : ask(topic);
      });
      void start();
      await pass();
      expect([[...held], started.length]).toEqual([['invoices/0'], 1]);
      await pass(PATIENCE_MS);
      const message = expect.stringMatching(/invoices.*denied/) as string;
      expect(events).toEqual([{ type: 'warning', warning: 'START_NOT_COMMITTED', message }]);
    },
  );
});

describe('what is not known yet is asked for again', () => {
  test('where the client has no metadata of the topic', async () => {
    const { admin, held, started, start, events } = startWith({ orders: [0] });
    admin.committed['orders/0'] = '-1';
    void start();
    await pass();
    expect(held.size).toBe(1);
    admin.ends['orders/0'] = '5';
    await pass(500);
    expect([started, held.size, events]).toEqual([['orders/0 5'], 0, []]);
  });

  test('where an answer lacks one of the partitions', async () => {
    const { admin, held, started, start } = startWith({ orders: [0, 1] });
    admin.ends['orders/0'] = '5';
    void start();
    await pass();
    expect([started, held.size]).toEqual([[], 2]);
    admin.ends['orders/1'] = '6';
    await pass(500);
    expect([started, held.size]).toEqual([['orders/0 5', 'orders/1 6'], 0]);
  });

  test('where the answer after the commit lacks it, which does not mean that another has committed', async () => {
    const { admin, held, moved, start } = startWith({ orders: [0, 1] });
    Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '6' });
    let asked = 0;
    replaceOf(admin, 'fetchOffsets', (ask) => (query) => {
      asked += 1;
      const half = { topic: 'orders', partitions: [{ partition: 1, offset: '6' }] };
      return asked === 2 ? Promise.resolve([half]) : ask(query);
    });
    void start();
    await pass();
    expect([moved, held.size]).toEqual([[], 2]);
    await pass(500);
    expect([moved, held.size]).toEqual([['orders/0 5', 'orders/1 6'], 0]);
  });
});

describe('when that takes too long', () => {
  const endless = () => new Promise<never>(() => undefined);

  test.each<[string, () => Promise<never>, string]>([
    ['an admin client that hangs', endless, 'there is no answer yet'],
    ['an error', () => Promise.reject(new Error('denied')), 'denied'],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a client may reject with anything
    ['anything', () => Promise.reject('denied'), 'unknown error'],
  ])('it is warned of, and everything is fetched: %s', async (_, fetchOffsets, why) => {
    const { admin, held, start, events } = startWith({ orders: [0, 1] });
    Object.assign(admin, { fetchOffsets });
    void start();
    await pass(PATIENCE_MS - 1);
    expect([held.size, events]).toEqual([2, []]);
    await pass(1);
    expect(held.size).toBe(0);
    const message = expect.stringMatching(new RegExp(`start of orders \\[0, 1\\] .*: ${why}\\. `)) as string;
    expect(events).toEqual([{ type: 'warning', warning: 'START_NOT_COMMITTED', message }]);
    await pass(60_000);
    expect(events).toHaveLength(1);
  });

  test('it is warned of where the client does not commit', async () => {
    const { admin, held, start, events, does } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    does.commit = () => Promise.resolve();
    void start();
    await pass(PATIENCE_MS);
    expect([held.size, events]).toMatchObject([0, [{ warning: 'START_NOT_COMMITTED' }]]);
  });

  test('it is tried on in the background, and moves nothing that is fetched meanwhile', async () => {
    const { admin, started, moved, resumed, start } = startWith({ orders: [0, 1] });
    Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '6' });
    admin.error = new Error('down');
    void start();
    await pass(60_000);
    expect(started).toEqual([]);
    admin.error = undefined;
    await pass(PATIENCE_MS);
    expect([started, moved]).toEqual([['orders/0 5', 'orders/1 6'], []]);
    expect(resumed).toEqual(['orders/0', 'orders/1']);
    const { length } = admin.queries;
    await pass(60_000);
    expect(admin.queries).toHaveLength(length);
  });

  test('a client that begins behind the start that was found is sent back to it', async () => {
    const { admin, start, does, assignments, events } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    does.commit = () => new Promise(() => undefined);
    void start();
    await pass(PATIENCE_MS);
    expect(events).toMatchObject([{ warning: 'START_NOT_COMMITTED' }]);
    const left = (from: bigint) => assignments.trackers().map((one) => one.skippedBefore({ from } as never));
    expect([left(5n), left(6n)]).toEqual([[undefined], [{ position: 5n, isUncontested: true, tries: 0 }]]);
  });

  test('a partition that was fetched meanwhile begins there', async () => {
    const { admin, started, start, fetched } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    admin.error = new Error('down');
    void start();
    await pass(PATIENCE_MS);
    await fetched(3n);
    admin.error = undefined;
    await pass(60_000);
    expect(started).toEqual([]);
  });

  test('what a first fetch begins with is committed again, behind a start that was under way', async () => {
    const { admin, start, fetched, does, assignments } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    admin.error = new Error('down');
    void start();
    await pass(PATIENCE_MS);
    admin.error = undefined;
    let land = (): void => undefined;
    does.commit = () => new Promise((resolve) => (land = resolve));
    await pass(PATIENCE_MS);
    await fetched(3n);
    expect(assignments.trackers().map(({ isUncommitted }) => isUncommitted)).toEqual([false]);
    land();
    await pass();
    expect(assignments.trackers().map(({ isUncommitted }) => isUncommitted)).toEqual([true]);
  });

  test('a retry topic is held until its beginning is committed, and that is told', async () => {
    const { admin, started, held, start, events } = startWith({ orders: [0, 1] }, 'beginning');
    Object.assign(admin.ends, { 'orders/0': '5', 'orders/1': '5' });
    admin.error = new Error('down');
    void start();
    await pass(60_000);
    expect(held.size).toBe(2);
    const message = expect.stringMatching(/orders \[0, 1\] is paused until .*: down\. /) as string;
    expect(events).toEqual([{ type: 'warning', warning: 'START_NOT_COMMITTED', message }]);
    admin.error = undefined;
    await pass(PATIENCE_MS);
    expect([started, held.size]).toEqual([['orders/0 0', 'orders/1 0'], 0]);
  });

  test('a partition that this consumer has committed before goes on, also of a retry topic', async () => {
    const { admin, held, start, events, fetched } = startWith({ orders: [0] }, 'beginning');
    await fetched(3n);
    admin.error = new Error('down');
    void start();
    await pass(PATIENCE_MS);
    expect([held.size, events]).toEqual([0, []]);
  });
});

test('the admin client is not asked any more once the group has met again, or the consumer has stopped', async () => {
  const { admin, start, assignments, held } = startWith({ orders: [0] });
  admin.error = new Error('down');
  void start();
  await pass();
  assignments.stopped();
  const { length } = admin.queries;
  await pass(60_000);
  expect([admin.queries.length, held.size]).toEqual([length, 0]);
});

test('a request that hangs holds nothing in the next generation', async () => {
  const { admin, start, assignments, held } = startWith({ orders: [0] }, 'beginning');
  Object.assign(admin, { fetchOffsets: () => new Promise(() => undefined) });
  void start();
  await pass(60_000);
  expect(held.size).toBe(1);
  assignments.joined({ orders: [0] });
  expect(held.size).toBe(0);
});

test('a stop between two questions ends them', async () => {
  const { admin, start, assignments } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  replaceOf(admin, 'fetchOffsets', (ask) => (query) => {
    assignments.stopped();
    return ask(query);
  });
  void start();
  await pass(60_000);
  expect(admin.queries).toEqual(['fetchOffsets workers orders']);
});

test.each([
  ['', { type: 'REBALANCE_IN_PROGRESS' }],
  [' and the client hides that', { cause: Object.assign(new Error(), { type: 'REBALANCE_IN_PROGRESS' }) }],
])(
  'a commit that is refused since the group meets%s is no fault, however long that takes',
  async (_, parts) => {
    const { admin, start, does, events, held } = startWith({ orders: [0] });
    admin.ends['orders/0'] = '5';
    does.commit = () => Promise.reject(Object.assign(new Error('no'), parts));
    void start();
    await pass(60_000);
    expect([events, held.size]).toEqual([[], 1]);
  },
);

test('a fault that comes after a long rebalance is warned of', async () => {
  const { admin, start, does, events, held } = startWith({ orders: [0] });
  admin.ends['orders/0'] = '5';
  const rebalances = Object.assign(new Error('no'), { type: 'REBALANCE_IN_PROGRESS' });
  does.commit = () => Promise.reject(rebalances);
  void start();
  await pass(PATIENCE_MS);
  does.commit = () => Promise.reject(new Error('denied'));
  await pass(200);
  const message = expect.stringContaining('denied') as string;
  expect([events, held.size]).toEqual([[{ type: 'warning', warning: 'START_NOT_COMMITTED', message }], 0]);
});
