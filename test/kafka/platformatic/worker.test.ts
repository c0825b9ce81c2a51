import { channel } from 'node:diagnostics_channel';
import { RetryableError } from 'handle-once';
import { createKafkaWorker, type KafkaWorkerOptions } from 'handle-once/kafka-platformatic';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { gate } from '../../support/gate.ts';
import { issuesOf } from '../../support/issues-of.ts';
import { handleOnceOf, until, type Work, workerBench } from '../support/worker-bench.ts';
import { type FakePackage, fakePackage, NOT_LEADER } from './support/fake-package.ts';

type Options = Partial<KafkaWorkerOptions<undefined, Buffer | null>>;
const BROKERS = { bootstrapBrokers: ['localhost:9092'] };

/** A worker without a broker. */
function worker(work?: Work, options: Options = {}) {
  const fake = fakePackage();
  const { handler, batchHandler, options: usual, ...seen } = workerBench(work);
  const given = { client: fake.client, config: BROKERS, ...usual, ...options };
  const { batch } = given;
  const made =
    batch === undefined
      ? createKafkaWorker(given, handler)
      : createKafkaWorker({ ...given, batch }, batchHandler);
  onTestFinished(() => made.stop());
  const commits = () => fake.calls.filter((call) => call.startsWith('commit'));
  return { ...seen, fake, worker: made, commits };
}

/** The same, which runs and has joined its group. */
async function runs(work?: Work, options?: Options) {
  const bench = worker(work, options);
  await bench.worker.run();
  await until(() => bench.fake.calls.some(isJoin));
  return bench;
}

const isJoin = (call: string): boolean => call.startsWith('join');

/** For what has to be waited for without anything to see: that nothing happens. */
async function someFetches(fetched: readonly string[]): Promise<void> {
  const before = fetched.length;
  await until(() => fetched.length > before + 3);
}

test('is made with what the worker decides, also where an option is given as undefined', async () => {
  const { fake } = await runs(undefined, {
    config: { bootstrapBrokers: ['localhost:9092'], minBytes: undefined, maxWaitTime: 50 },
  });
  for (const { options } of fake.consumers) {
    const set = {
      groupId: 'workers',
      autocommit: false,
      retries: 0,
      maxWaitTime: 50,
      clientId: 'handle-once',
    };
    expect(options).toMatchObject(set);
    expect(options).not.toHaveProperty('minBytes');
  }
  expect(fake.calls).toContain('join orders');
});

test('begins where the group has committed, or else at the oldest, and commits behind what is handled', async () => {
  const { fake, started, commits } = await runs();
  fake.committed.set(1, 7n);
  fake.log(0).oldest = 3n;
  fake.push({ offset: 3 }, { offset: 4 }, { offset: 7, partition: 1 });
  fake.assign(0, 1);
  await until(() => fake.committed.get(0) === 5n && fake.committed.get(1) === 8n);
  expect(started.toSorted()).toEqual(['0-3', '0-4', '1-7']);
  expect(fake.fetched.slice(0, 2)).toEqual(['0@3', '1@7']);
  expect(commits()).toContain('commit 0 3');
});

test('a batch handler gets what has come of a partition', async () => {
  const { fake, batches } = await runs(undefined, { batch: { size: 2 } });
  fake.push({ offset: 0 }, { offset: 1 }, { offset: 2 });
  fake.assign(0);
  await until(() => fake.committed.get(0) === 3n);
  expect(batches).toEqual([['0-0', '0-1'], ['0-2']]);
});

test('begins at the end where that is asked for', async () => {
  const { fake, started } = await runs(undefined, { fromBeginning: false });
  fake.push({ offset: 0 }, { offset: 1 });
  fake.assign(0);
  await until(() => fake.fetched.includes('0@2'));
  fake.push({ offset: 2 });
  await until(() => started.length === 1);
  expect(started).toEqual(['0-2']);
});

test('a message that waits withholds its partition alone', async () => {
  let tries = 0;
  const {
    fake,
    started,
    worker: made,
  } = await runs((place) => {
    if (place === '0-1' && (tries += 1) < 3) throw new RetryableError('not yet', { retryAfterMs: 30 });
  });
  fake.push({ offset: 0 }, { offset: 1 }, { offset: 2 }, { offset: 0, partition: 1 });
  fake.assign(0, 1);
  await until(() => made.paused().length > 0);
  expect(made.paused()).toEqual([{ topic: 'orders', partition: 0 }]);
  await until(() => fake.committed.get(0) === 3n && fake.committed.get(1) === 1n);
  expect(started.filter((place) => place.startsWith('0'))).toEqual(['0-0', '0-1', '0-1', '0-1', '0-2']);
});

test.each([
  ['among others', [0, 1]],
  ['alone', [0]],
])('fetches a partition (%s) no more of which a thousand messages wait, until it is low', async (_, all) => {
  const finish = gate();
  const { fake, started } = await runs(() => finish.opened);
  fake.push(...Array.from({ length: 1_000 }, (_one, offset) => ({ offset })));
  fake.assign(...all);
  await until(() => started.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(fake.fetched).not.toContain('0@1000');
  finish.open();
  await until(() => fake.fetched.includes('0@1000'));
});

describe('a rebalance', () => {
  test('waits for what is in flight, whose end is committed before the group is joined', async () => {
    const finish = gate();
    const { fake, started, commits } = await runs(() => finish.opened);
    fake.push({ offset: 0 }, { offset: 1 });
    fake.assign(0);
    await until(() => started.length === 1);
    let isGivenBack = false;
    const givenBack = fake.rebalance().then(() => (isGivenBack = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isGivenBack).toBe(false);
    finish.open();
    await givenBack;
    expect(commits().at(-1)).toBe('commit 0 1');
    expect(started).toEqual(['0-0']);
  });

  test('waits no longer than rebalanceGraceMs; a partition that goes is aborted, one that stays goes on', async () => {
    const never = gate();
    const aborted: string[] = [];
    const { fake, started, events } = await runs(
      async (place, signal) => {
        signal.addEventListener('abort', () => aborted.push(place));
        await never.opened;
      },
      { rebalanceGraceMs: 50 },
    );
    fake.push({ offset: 0 }, { offset: 0, partition: 1 });
    fake.assign(0, 1);
    await until(() => started.length === 2);
    await fake.rebalance();
    fake.assign(1);
    await until(() => events.some(({ type }) => type === 'partition-lost'));
    expect(aborted).toEqual(['0-0']);
    never.open();
    await until(() => fake.committed.get(1) === 1n);
    // What ran on was joined when it came again.
    expect(started).toHaveLength(2);
  });

  test('a commit that the group refuses ends what is in flight, and is no crash', async () => {
    const { fake, started, events, worker: made } = await runs();
    const refusal = Object.assign(new Error('unknown member'), { needsRejoin: true });
    fake.faults.commit = [new AggregateError([refusal], 'refused')];
    fake.push({ offset: 0 });
    fake.assign(0);
    await until(() => fake.calls.includes('commit 0 0'));
    await someFetches(fake.fetched);
    expect(started).toEqual([]);
    await fake.rebalance();
    fake.assign(0);
    await until(() => fake.committed.get(0) === 1n);
    expect(made.health().live).toBe(true);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  test('a commit that is late is not made between two meetings of the group', async () => {
    const { fake, commits } = await runs();
    fake.faults.commit = [undefined, new Error('broker away')];
    fake.push({ offset: 0 });
    fake.assign(0);
    await until(() => commits().includes('commit 0 1'));
    await fake.rebalance();
    // It is made again a second later.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(commits()).toEqual(['commit 0 0', 'commit 0 1']);
  });

  test('a membership that the client has given up is joined again', async () => {
    const { fake, worker: made, events, started } = await runs();
    fake.assign(0);
    await until(() => fake.fetched.length > 0);
    fake.faults.joinGroup = [new Error('no coordinator')];
    fake.lose(new AggregateError([new Error('broker away')], 'failed 4 times'));
    expect(made.health()).toMatchObject({ live: true, ready: false });
    await until(() => fake.calls.filter(isJoin).length === 3);
    const errors = events.flatMap((event) => (event.type === 'client-error' ? [event.error] : []));
    expect(errors).toMatchObject([{ message: 'broker away' }, { message: 'no coordinator' }]);
    fake.push({ offset: 0 });
    fake.assign(0);
    await until(() => started.length === 1);
  });

  describe('another member with its groupInstanceId', () => {
    const fenced = Object.assign(new Error('fenced'), { apiId: 'FENCED_INSTANCE_ID', needsRejoin: true });
    const heartbeats = channel('tracing:plt:kafka:consumer:heartbeat:error');

    test.each([
      [
        'a heartbeat',
        (fake: FakePackage) => {
          heartbeats.publish({ client: fake.member(), error: fenced });
        },
      ],
      [
        'a join',
        (fake: FakePackage) => {
          fake.lose(new AggregateError([fenced], 'joinGroup failed'));
        },
      ],
      [
        'a commit',
        (fake: FakePackage) => {
          fake.faults.commit = [fenced];
          fake.push({ offset: 0 });
        },
      ],
    ])('stops it for good, as %s tells, and it joins no more', async (_, happens) => {
      const { fake, worker: made, events } = await runs();
      fake.assign(0);
      await until(() => fake.fetched.length > 0);
      happens(fake);
      await until(() => fake.calls.filter((call) => call === 'close').length === 2);
      expect(made.health().live).toBe(false);
      expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
        { warning: 'CONSUMER_STOPPED', message: expect.stringContaining('(FENCED_INSTANCE_ID)') as unknown },
      ]);
      expect(fake.calls.filter(isJoin)).toHaveLength(1);
    });

    test('is of no concern to others in the process', async () => {
      const { fake, worker: made } = await runs();
      fake.assign(0);
      heartbeats.publish({ client: {}, error: fenced });
      heartbeats.publish({ client: fake.member(), error: new Error('broker away') });
      fake.push({ offset: 0 });
      await until(() => fake.committed.get(0) === 1n);
      expect(made.health().ready).toBe(true);
    });
  });

  test('partitions that are added make the group meet', async () => {
    const { fake } = await runs();
    fake.assign(0, 1);
    await until(() => fake.fetched.length > 0);
    fake.partitions = 3;
    await until(() => fake.calls.filter(isJoin).length === 2);
  });
});

describe('topics of one worker', () => {
  const two = { topics: ['orders', 'others'] };

  test('one that there is not keeps no other, is named by health, and is joined when it is there', async () => {
    const { fake, started, events, worker: made } = worker(undefined, two);
    fake.missing.add('others');
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await made.run();
    await until(() => fake.calls.includes('join orders'));
    fake.push({ offset: 0 });
    fake.assign(0);
    await until(() => fake.committed.get(0) === 1n);
    expect(started).toEqual(['0-0']);
    expect(made.health()).toMatchObject({ ready: false, held: [{ topic: 'others', partition: 0 }] });
    const errors = events.filter(({ type }) => type === 'client-error');
    expect(errors).toMatchObject([{ verb: 'fetch', error: { message: 'Unknown topic others.' } }]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.calls.filter(isJoin)).toEqual(['join orders']);

    fake.missing.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    await until(() => fake.calls.includes('join orders others'));
    fake.assignTopics('orders', 'others');
    await until(() => made.health().held.length === 0);
  });

  test('one that the worker was not given is not handled, and is named by health', async () => {
    const { fake, started, events, worker: made } = await runs();
    fake.assignTopics('others', 'orders');
    fake.push({ offset: 0, topic: 'others' }, { offset: 0 });
    await until(() => fake.committed.get(0) === 1n);
    await someFetches(fake.fetched);
    expect(started).toEqual(['0-0']);
    const held = [0, 1].map((partition) => ({ topic: 'others', partition }));
    expect(made.health()).toMatchObject({ ready: false, held });
    const message = expect.stringMatching(
      /of others, .* Give all members of the group the same topics$/,
    ) as string;
    expect(events.filter(({ type }) => type === 'client-error')).toMatchObject([{ error: { message } }]);
  });

  test('one that is deleted stops no other, and is named by health', async () => {
    const { fake, events, worker: made } = await runs(undefined, two);
    fake.assignTopics('orders', 'others');
    fake.push({ offset: 0 }, { offset: 0, topic: 'others' });
    await until(() => fake.committed.get(0) === 1n);
    fake.missing.add('others');
    fake.push({ offset: 1 });
    await until(() => fake.committed.get(0) === 2n);
    const held = [0, 1].map((partition) => ({ topic: 'others', partition }));
    await until(() => made.health().held.length === 2);
    expect(made.health()).toMatchObject({ ready: false, held });
    expect(events).not.toContainEqual(expect.objectContaining({ verb: 'commit' }));

    fake.missing.clear();
    await until(() => made.health().held.length === 0);
  });

  test('one whose beginning is not known keeps no other', async () => {
    const { fake, started, events, worker: made } = await runs(undefined, two);
    fake.push({ offset: 0 });
    fake.faults.listOffsets = [new Error('not now')];
    fake.assignTopics('others', 'orders');
    expect(made.health().held).toContainEqual({ topic: 'others', partition: 0 });
    await until(() => started.length === 1);
    await until(() => fake.committed.get(0) === 1n);
    const errors = events.filter(({ type }) => type === 'client-error');
    expect(errors).toMatchObject([{ verb: 'fetch', error: { message: 'not now' } }]);
  });

  test('a topic that has a partition without a leader is tried again', async () => {
    const { fake, started, events } = await runs();
    fake.leaderless.add(1);
    fake.push({ offset: 0 }, { offset: 0, partition: 1 });
    fake.assign(0, 1);
    await until(() => events.length > 0);
    expect(fake.fetched).toEqual([]);
    const message = 'partition 1 of orders has no leader';
    expect(events).toMatchObject([{ type: 'client-error', verb: 'fetch', error: { message } }]);
    fake.leaderless.clear();
    await until(() => started.length === 2);
  });
});

test('what fails is tried again alone, and later each time', async () => {
  const topics = ['orders', 'bills', 'letters', 'others'];
  const { fake } = await runs(undefined, { topics });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  fake.assignTopics(...topics);
  await vi.advanceTimersByTimeAsync(100);
  for (const topic of topics) fake.missing.add(topic);
  await vi.advanceTimersByTimeAsync(100);
  fake.calls.splice(0);
  await vi.advanceTimersByTimeAsync(60_000);
  const tries = fake.calls.filter((call) => call.startsWith('metadata'));
  for (const topic of topics) {
    const ofTopic = tries.filter((call) => call === `metadata ${topic}`).length;
    expect(ofTopic).toBeGreaterThan(8);
    expect(ofTopic).toBeLessThan(20);
  }
  fake.missing.clear();
  fake.fetched.splice(0);
  for (let n = 0; n < 55 && fake.fetched.length === 0; n += 1) await vi.advanceTimersByTimeAsync(100);
  expect(fake.fetched.length).toBeGreaterThan(0);
});

describe('a stop', () => {
  test('waits for handlers, commits, leaves and closes', async () => {
    const finish = gate();
    const { fake, started, worker: made } = await runs(() => finish.opened, { drainMs: 10_000 });
    fake.push({ offset: 0 }, { offset: 1 });
    fake.assign(0);
    await until(() => started.length === 1);
    const stopped = made.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(fake.calls).not.toContain('leave');
    finish.open();
    await stopped;
    const after = fake.calls.filter((call) => !/^(clear|metadata)/.test(call)).slice(-4);
    expect(after).toEqual(['commit 0 1', 'leave', 'close', 'close']);
    expect(started).toEqual(['0-0']);
    expect(made.health()).toMatchObject({ live: true, ready: false });
  });

  test('can be followed by another run, with consumers of its own', async () => {
    const { fake, worker: made, started } = await runs();
    await made.stop();
    await made.run();
    expect(fake.consumers).toHaveLength(4);
    fake.push({ offset: 0 });
    fake.assign(0);
    await until(() => started.length === 1);
  });

  test('leaves nothing behind when no broker answers', async () => {
    const { fake, worker: made } = worker();
    fake.faults.metadata = [new AggregateError([new Error('no broker')], 'metadata failed')];
    await expect(made.run()).rejects.toThrow('no broker');
    expect(fake.calls.filter((call) => call === 'close')).toHaveLength(2);
    await made.run();
    expect(fake.consumers).toHaveLength(4);
  });
});

test('a seek makes what has come void', async () => {
  const { fake, started, worker: made } = await runs();
  fake.push({ offset: 5 });
  fake.assign(0);
  made.seek({ topic: 'orders', partition: 0, offset: '40' });
  fake.push({ offset: 40 });
  await until(() => started.length > 0);
  expect(started).toEqual(['0-40']);
  expect(() => {
    made.seek({ topic: 'orders', partition: 1, offset: '0' });
  }).toThrow('partition 1 of orders is not assigned to this member');
});

test("a user's pause holds, and ends when the user ends it", async () => {
  const { fake, started, worker: made } = await runs();
  fake.assign(0, 1);
  made.pause([{ topic: 'orders', partitions: [0] }]);
  fake.push({ offset: 0 }, { offset: 0, partition: 1 });
  await until(() => started.length === 1);
  expect(started).toEqual(['1-0']);
  made.resume([{ topic: 'orders' }]);
  await until(() => started.length === 2);
});

test.each([
  ['oldest message', true],
  ['end', false],
])(
  'what was deleted before it was read is told in a group that begins at its %s',
  async (_, fromBeginning) => {
    const finish = gate();
    const { fake, started, events } = await runs((place) => (place === '0-0' ? finish.opened : undefined), {
      fromBeginning,
    });
    fake.committed.set(0, 0n);
    fake.push({ offset: 0 }, { offset: 1 });
    fake.assign(0, 1);
    await until(() => fake.fetched.includes('0@2'));
    const log = fake.log(0);
    Object.assign(log, { oldest: 8n, end: 8n });
    log.batches.splice(0);
    fake.push({ offset: 8 });
    await someFetches(fake.fetched);
    expect(started).toEqual(['0-0']);
    finish.open();
    await until(() => fake.committed.get(0) === 9n);
    expect(started).toEqual(['0-0', '0-1', '0-8']);
    expect(events.filter(({ type }) => type === 'log-changed')).toMatchObject([
      { reason: 'position-moved', expected: '2', found: '8' },
    ]);
  },
);

test('a topic that is made again is read from its oldest message, also where it is longer', async () => {
  const { fake, started, events } = await runs();
  fake.push({ offset: 0 }, { offset: 1 });
  fake.assign(0);
  await until(() => fake.committed.get(0) === 2n);
  fake.push({ offset: 2 }, { offset: 3 });
  const all = fake.log(0).batches.splice(0);
  await until(() => started.length >= 2);
  fake.topicId = 'second';
  fake.log(0).batches.push(...all);
  await until(() => events.some(({ type }) => type === 'log-changed'));
  expect(events.find(({ type }) => type === 'log-changed')).toMatchObject({
    reason: 'position-moved',
    found: '0',
  });
});

test('a partition that its broker refuses goes on where it was, at the broker that leads it then', async () => {
  const { fake, started, events } = await runs();
  fake.push({ offset: 0 });
  fake.assign(0);
  await until(() => started.length === 1);
  fake.refused.push(NOT_LEADER);
  await until(() => fake.calls.includes('clearMetadata'));
  fake.push({ offset: 1 });
  await until(() => fake.committed.get(0) === 2n);
  expect(started).toEqual(['0-0', '0-1']);
  expect(events.map(({ type }) => type)).toEqual(['acknowledged', 'client-error', 'acknowledged']);
});

test('what the client gets over is told, and errors of its fetch sessions are not', async () => {
  const { fake, events, started } = await runs();
  const ofSession = Object.assign(new Error('epoch'), { apiId: 'INVALID_FETCH_SESSION_EPOCH' });
  fake.faults.fetch = [new AggregateError([ofSession], 'refused'), new Error('no leader')];
  fake.push({ offset: 0 });
  fake.assign(0);
  await until(() => started.length === 1);
  expect(events.filter(({ type }) => type === 'client-error')).toMatchObject([
    { verb: 'fetch', error: { message: 'no leader' } },
  ]);
});

test('a key function that never worked stops the worker', async () => {
  const {
    fake,
    events,
    worker: made,
  } = await runs(undefined, {
    key: () => {
      throw new TypeError('wrong');
    },
  });
  fake.push(...Array.from({ length: 25 }, (_, offset) => ({ offset })));
  fake.assign(0);
  await until(() => fake.calls.includes('leave'));
  expect(events).toContainEqual(expect.objectContaining({ type: 'warning', warning: 'CONSUMER_STOPPED' }));
  expect(made.health().live).toBe(false);
});

describe('options', () => {
  test.each<[what: string, options: Options, fields: string[]]>([
    ['none wrong', {}, []],
    ['no topics', { topics: [] }, ['topics']],
    ['another package', { client: {} as never }, ['client']],
    ['an admin client of another package', { admin: { fetchOffsets: () => undefined } as never }, ['admin']],
    ['no brokers', { config: {} }, ['config.bootstrapBrokers']],
    ['a group', { config: { ...BROKERS, groupId: 'other' } }, ['config.groupId']],
    ['commits of the client', { config: { ...BROKERS, autocommit: true } }, ['config.autocommit']],
    ['retries of the client', { config: { ...BROKERS, retries: 3 } }, ['config.retries']],
    [
      'messages of aborted transactions',
      { config: { ...BROKERS, isolationLevel: 0 } },
      ['config.isolationLevel'],
    ],
    ['a name that is misspelt', { config: { ...BROKERS, sesionTimeout: 5 } }, ['config.sesionTimeout']],
    ['names of kafkajs', { config: { ...BROKERS, brokers: [], ssl: {} } }, ['config.brokers']],
    ['a rack', { config: { ...BROKERS, clientRack: 'a' } }, ['config.clientRack']],
    ['settings of streams', { config: { ...BROKERS, highWaterMark: 5 } }, ['config.highWaterMark']],
    [
      'rarer heartbeats than the session allows',
      { config: { ...BROKERS, sessionTimeout: 6_000, heartbeatInterval: 7_000 } },
      ['config.heartbeatInterval'],
    ],
    ['deserializers', { config: { ...BROKERS, deserializers: {} } }, ['config.deserializers']],
    [
      'cooperative assignment',
      { config: { ...BROKERS, protocols: [{ name: 'cooperative-sticky', version: 3 }] } },
      ['config.protocols'],
    ],
    ['the new protocol', { config: { ...BROKERS, groupProtocol: 'consumer' } }, ['config.groupProtocol']],
    ['a topic twice', { topics: ['orders', 'orders'] }, ['topics']],
    [
      'a time that is not a number',
      { config: { ...BROKERS, heartbeatInterval: 'x' } },
      ['config.heartbeatInterval'],
    ],
    ['a size that is not a number', { config: { ...BROKERS, maxBytes: 'all' } }, ['config.maxBytes']],
    ['a wait that is negative', { config: { ...BROKERS, maxWaitTime: -1 } }, ['config.maxWaitTime']],
    [
      'a session longer than a rebalance may take',
      { config: { ...BROKERS, sessionTimeout: 120_000 } },
      ['config.rebalanceTimeout'],
    ],
    [
      'a grace above the session',
      { config: { ...BROKERS, sessionTimeout: 1_000, heartbeatInterval: 300 } },
      ['rebalanceGraceMs'],
    ],
    [
      'a producer of kafkajs',
      { onFailed: { deadLetterTopic: 'failed', producer: { send: vi.fn(), sendBatch: vi.fn() } as never } },
      ['onFailed.producer'],
    ],
    [
      'a producer with serializers',
      {
        onFailed: {
          deadLetterTopic: 'failed',
          producer: { send: vi.fn(), [Symbol('options')]: { serializers: {} } },
        },
      },
      ['onFailed.producer'],
    ],
    [
      'a producer without',
      {
        onFailed: {
          deadLetterTopic: 'failed',
          producer: { send: vi.fn(), [Symbol('options')]: { serializers: undefined } },
        },
      },
      [],
    ],
    [
      'a dead-letter topic that it consumes',
      { topics: ['orders', 'failed'], onFailed: { deadLetterTopic: 'failed', producer: { send: vi.fn() } } },
      ['onFailed.deadLetterTopic'],
    ],
    [
      'retry topics without an admin client',
      {
        ordering: 'unordered',
        retry: { topics: [{ topic: 'later', delayMs: 5 }], producer: { send: vi.fn() } },
      },
      ['topics', 'admin'],
    ],
  ])('%s', (_, options, fields) => {
    const given = { client: fakePackage().client, config: BROKERS, ...workerBench().options, ...options };
    const issues = issuesOf(() => createKafkaWorker(given, () => undefined));
    expect(issues.map(({ field }) => field)).toEqual(fields);
  });

  test('a Node that the package cannot use', () => {
    const known = Reflect.get(Promise, 'withResolvers') as unknown;
    const given = { client: fakePackage().client, config: BROKERS, ...workerBench().options };
    Reflect.deleteProperty(Promise, 'withResolvers');
    onTestFinished(() => {
      Object.assign(Promise, { withResolvers: known });
    });
    expect(() => createKafkaWorker(given, () => undefined)).toThrow(
      `client: needs Node 22.22, or 24.6 or newer; this is ${process.version}`,
    );
  });

  test('timeouts that contradict the lease are warned of, by their names', () => {
    const { warnings } = worker(undefined, {
      config: { ...BROKERS, sessionTimeout: 6_000, heartbeatInterval: 5_000 },
      handleOnce: handleOnceOf(7_000),
    });
    expect(warnings()).toEqual([
      expect.stringMatching(/^HEARTBEAT_TOO_RARE: heartbeatInterval of 5000 ms/),
      expect.stringMatching(/^LEASE_OUTLIVES_SESSION: .*sessionTimeout \(6000 ms\)/),
    ]);
  });
});
