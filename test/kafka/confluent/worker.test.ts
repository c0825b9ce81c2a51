import { createHandleOnce, InvalidOptionsError, RetryableError } from 'handle-once';
import { createKafkaWorker, type KafkaEvent, type KafkaWorkerOptions } from 'handle-once/kafka-confluent';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { gate } from '../../support/gate.ts';
import { issuesOf } from '../../support/issues-of.ts';
import { handleOnceOf, until, type Work, workerBench } from '../support/worker-bench.ts';
import { fakePackage } from './support/fake-package.ts';

type Options = Partial<KafkaWorkerOptions<undefined, Buffer | null>>;
const BROKERS = { 'bootstrap.servers': 'localhost:9092' };

/** A worker without a broker, that runs. */
async function runs(work?: Work, options: Options = {}) {
  const fake = fakePackage();
  const { handler, batchHandler, options: usual, ...seen } = workerBench(work);
  const given = { client: fake.client, config: BROKERS, ...usual, ...options };
  const { batch } = given;
  const worker =
    batch === undefined
      ? createKafkaWorker(given, handler)
      : createKafkaWorker({ ...given, batch }, batchHandler);
  await worker.run();
  onTestFinished(() => worker.stop());
  const commits = () => fake.calls.filter((call) => call.startsWith('commit'));
  return { ...fake, ...seen, worker, commits, native: fake.native() };
}

test('a stop has what was counted written', async () => {
  const handleOnce = handleOnceOf();
  const close = vi.spyOn(handleOnce, 'close');
  const { worker } = await runs(undefined, { handleOnce });
  expect(close).not.toHaveBeenCalled();
  await worker.stop();
  expect(close).toHaveBeenCalledOnce();
});

test('asks for what it commits by itself', async () => {
  const { native, calls } = await runs(undefined, { fromBeginning: false });
  expect(calls).toContain('subscribe orders');
  expect(native.config).toMatchObject({
    'bootstrap.servers': 'localhost:9092',
    'group.id': 'workers',
    'enable.auto.commit': false,
    'enable.auto.offset.store': false,
    'enable.partition.eof': true,
    offset_commit_cb: true,
  });
  // Also from the end: what retention leaves of a partition must not be skipped.
  expect(native.topicConfig).toEqual({ 'auto.offset.reset': 'earliest' });
});

describe('a partition of which nothing is committed', () => {
  const assigns = (calls: readonly string[]) => calls.filter((call) => call.startsWith('assign'));

  test('begins at its oldest message where that is asked for', async () => {
    const { native, calls } = await runs();
    native.assignPartitions(0);
    expect(assigns(calls)).toEqual(['assign orders/0@committed']);
  });

  test('begins at its end by default, and no other does', async () => {
    const { native, calls, events } = await runs(undefined, { fromBeginning: undefined });
    native.offsets.add(1);
    native.does.committed.push(new Error('no answer yet'));
    native.assignPartitions(0, 1);
    await until(() => assigns(calls).length > 0);
    expect(assigns(calls)).toEqual(['assign orders/0@-1 orders/1@committed']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'client-error', verb: 'fetch' }));
  });

  test('has its start committed by default, with an admin client, and nothing is warned of', async () => {
    const end = { partition: 0, offset: '5', low: '0', high: '5' };
    const admin = {
      fetchOffsets: () => Promise.resolve([]),
      fetchTopicOffsets: () => Promise.resolve([end]),
    };
    const { native, commits, events } = await runs(undefined, { fromBeginning: undefined, admin });
    native.assignPartitions(0);
    await until(() => commits().includes('commit orders/0 5'));
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  test('is not taken when it goes while that is looked up', async () => {
    const { native, calls } = await runs(undefined, { fromBeginning: false });
    native.assignPartitions(0);
    native.revoke(0);
    native.assignPartitions(1);
    await until(() => assigns(calls).length > 0);
    expect(assigns(calls)).toEqual(['assign orders/1@-1']);
  });
});

test('goes on with the oldest message that is left, and tells, where retention has overtaken it', async () => {
  const finish = gate();
  const { native, started, commits, events } = await runs(() => finish.opened);
  native.assignPartitions(0);
  native.push({ offset: 0 }, { offset: 1 });
  await until(() => started.length === 1);
  native.oldest = 5;
  native.push({ offset: 5 });
  native.pushEnd(6);
  finish.open();
  await until(() => commits().includes('commit orders/0 6'));
  expect(started).toEqual(['0-0', '0-1', '0-5']);
  expect(events.filter(({ type }) => type === 'log-changed')).toMatchObject([{ expected: '2', found: '5' }]);
});

test('a batch handler gets what has come of a partition', async () => {
  const { native, batches, commits } = await runs(undefined, { batch: { size: 2 } });
  native.assignPartitions(0);
  native.push({ offset: 0 }, { offset: 1 }, { offset: 2 });
  await until(() => commits().includes('commit orders/0 3'));
  expect(batches).toEqual([['0-0', '0-1'], ['0-2']]);
});

test('a log whose end goes back is reported', async () => {
  const { native, started, events } = await runs();
  native.assignPartitions(0);
  native.push({ offset: 0 });
  await until(() => started.length === 1);
  // First the client does not know it.
  for (const [n, end] of [-1_001, 3].entries()) {
    native.end = end;
    native.push({ offset: n + 1 });
    await until(() => started.length === n + 2);
  }
  const shortened = { reason: 'end-went-back', expected: '1000', found: '3' };
  expect(events.filter(({ type }) => type === 'log-changed')).toMatchObject([shortened]);
});

test('passes on no setting that is given as undefined', async () => {
  const { native } = await runs(undefined, {
    config: { ...BROKERS, 'client.id': undefined, 'group.id': undefined },
  });
  expect(native.config).not.toHaveProperty('client.id');
  expect(native.config).toMatchObject({ 'group.id': 'workers' });
});

describe('a setting that the client refuses', () => {
  test.each([
    [
      'No such configuration property: "client.id"',
      'is not a setting of librdkafka; remove it or correct its spelling',
    ],
    ['Invalid value "secret" for configuration property "client.id"', 'has a value that librdkafka refuses'],
  ])('is named by the run, without its value: %s', async (text, why) => {
    const { worker, faults } = await runs(undefined, { config: { ...BROKERS, 'client.id': 'secret' } });
    await worker.stop();
    faults.create = new Error(text);
    const error: unknown = await worker.run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(String(error)).toContain(`config.client.id: ${why}`);
    expect(String(error)).not.toContain('secret');
  });
});

test('a run that fails as it makes its consumer can be called again', async () => {
  const { worker, faults, consumers } = await runs();
  await worker.stop();
  faults.create = new Error('no memory');
  await expect(worker.run()).rejects.toThrow('no memory');
  await expect(worker.run()).rejects.toThrow('no memory');
  faults.create = undefined;
  await worker.run();
  expect(consumers).toHaveLength(2);
});

test('takes settings that have a type of their own, as those of the package do', async () => {
  interface ConsumerGlobalConfig {
    'client.id'?: string;
    'bootstrap.servers': string;
  }
  const config: ConsumerGlobalConfig = { 'client.id': 'billing', ...BROKERS };
  const { native } = await runs(undefined, { config });
  expect(native.config).toMatchObject(config);
});

test('handles what comes and commits behind it, also behind what is not delivered', async () => {
  const { native, started, commits } = await runs();
  native.assignPartitions(0, 1);
  native.push({ offset: 3 }, { offset: 4 }, { offset: 0, partition: 1 });
  await until(() => started.length === 3 && commits().length === 4);
  expect(commits().toSorted()).toEqual([
    'commit orders/0 3',
    'commit orders/0 5',
    'commit orders/1 0',
    'commit orders/1 1',
  ]);
  native.pushEnd(9);
  await until(() => commits().includes('commit orders/0 9'));
});

describe('a commit', () => {
  const refusal = (code: number) => Object.assign(new Error('Broker: refused'), { code });
  const told = (events: readonly KafkaEvent[]) =>
    events.flatMap((event) => (event.type === 'client-error' ? [event.verb] : []));

  test('has ended when the broker has answered it: nothing runs before that of the start', async () => {
    const answer = gate();
    const { native, started, commits } = await runs();
    native.answering = answer.opened;
    native.assignPartitions(0);
    native.push({ offset: 3 });
    await until(() => commits().length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(started).toEqual([]);
    answer.open();
    await until(() => started.length === 1);
  });

  test('that the broker refuses is told, and made again', async () => {
    const { native, started, commits, events } = await runs();
    native.does.commit = refusal(29);
    native.assignPartitions(0);
    native.push({ offset: 3 });
    await until(() => told(events).length > 0);
    expect(told(events)).toEqual(['commit']);
    native.does.commit = null;
    await until(() => commits().includes('commit orders/0 4'));
    expect(started).toEqual(['0-3']);
  });

  test.each([22, 25, 27])('that is refused with %d waits for the next meeting of the group', async (code) => {
    const { native, started, commits, calls, events } = await runs();
    native.does.commit = refusal(code);
    native.assignPartitions(0);
    native.push({ offset: 3 });
    await until(() => commits().length === 1);
    native.does.commit = null;
    native.revoke(0);
    await until(() => calls.includes('unassign'));
    expect([started, told(events)]).toEqual([[], []]);
    native.assignPartitions(0);
    native.push({ offset: 3 });
    await until(() => started.length === 1);
  });

  test('is not made between two meetings of the group', async () => {
    const { native, worker, calls, commits, events } = await runs();
    native.assignPartitions(0, 1);
    // What is passed over is committed a second later.
    native.pushEnd(9);
    await until(() => worker.health().partitions.some(({ position }) => position === '9'));
    native.revoke(0, 1);
    await until(() => calls.includes('unassign'));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect([commits(), told(events)]).toEqual([[], []]);
  });

  test.each([
    ['when it has been', 1_000],
    ['two minutes later', 120_000],
  ])('that is not answered holds up no stop: the client is left %s', async (when, leftMs) => {
    const answer = gate();
    const { native, worker, calls, commits, events } = await runs();
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    native.answering = answer.opened;
    native.assignPartitions(0);
    native.pushEnd(9);
    await until(() => commits().length === 1);
    const stopped = worker.stop();
    await vi.advanceTimersByTimeAsync(20_000);
    await stopped;
    expect(told(events)).toContain('commit');
    expect(calls).not.toContain('disconnect');
    if (when === 'when it has been') answer.open();
    await vi.advanceTimersByTimeAsync(leftMs);
    expect(calls.slice(-2)).toEqual(['unsubscribe', 'disconnect']);
  });
});

test('gives the handler the message as other clients do', async () => {
  const seen = vi.fn();
  const fake = fakePackage();
  const worker = createKafkaWorker(
    {
      client: fake.client,
      config: BROKERS,
      topics: ['orders'],
      groupId: 'workers',
      fromBeginning: true,
      onFailed: 'acknowledge',
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing' }),
    },
    ({ message }) => {
      seen(message);
    },
  );
  await worker.run();
  onTestFinished(() => worker.stop());
  const headers = [
    { trace: Buffer.from('a') },
    { __proto__: null, trace: Buffer.from('b') },
    { one: Buffer.from('1') },
    { trace: Buffer.from('c') },
  ];
  fake.native().assignPartitions(0);
  fake.native().push({ offset: 7, key: 'k', value: Buffer.from('v'), timestamp: 5, headers }, { offset: 8 });
  await until(() => seen.mock.calls.length === 2);
  expect(seen.mock.calls).toEqual([
    [
      {
        key: Buffer.from('k'),
        value: Buffer.from('v'),
        timestamp: '5',
        attributes: 0,
        offset: '7',
        headers: { trace: ['a', 'b', 'c'].map((text) => Buffer.from(text)), one: Buffer.from('1') },
      },
    ],
    [{ key: null, value: null, timestamp: '-1', attributes: 0, offset: '8', headers: {} }],
  ]);
});

test('a message that waits withholds its partition alone, and needs nothing of the client', async () => {
  let tries = 0;
  const { native, started, commits, calls, worker } = await runs((place) => {
    if (place === '0-1' && (tries += 1) < 3) throw new RetryableError('not yet', { retryAfterMs: 30 });
  });
  native.assignPartitions(0, 1);
  native.push({ offset: 0 }, { offset: 1 }, { offset: 2 }, { offset: 0, partition: 1 });
  await until(() => worker.paused().length > 0);
  expect(worker.paused()).toEqual([{ topic: 'orders', partition: 0 }]);
  await until(() => commits().includes('commit orders/0 3') && commits().includes('commit orders/1 1'));
  expect(started.filter((place) => place.startsWith('0'))).toEqual(['0-0', '0-1', '0-1', '0-1', '0-2']);
  expect(calls.filter((call) => /^(pause|seek)/.test(call))).toEqual([]);
});

test('holds a partition of which a thousand messages wait, and goes on when it is low', async () => {
  const finish = gate();
  const { native, calls, started } = await runs(() => finish.opened);
  native.assignPartitions(0);
  native.push(...Array.from({ length: 1_000 }, (_, offset) => ({ offset })));
  await until(() => calls.includes('pause orders/0'));
  expect(started).toEqual(['0-0']);
  finish.open();
  await until(() => calls.filter((call) => call === 'resume orders/0').length === 1 + 1);
});

describe('a rebalance', () => {
  test('gives the partitions back when the running handlers have ended, and what it settled is committed', async () => {
    const finish = gate();
    const { native, calls, started } = await runs(() => finish.opened);
    native.assignPartitions(0);
    native.push({ offset: 0 }, { offset: 1 });
    await until(() => started.length === 1);
    native.revoke(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).not.toContain('unassign');
    finish.open();
    await until(() => calls.includes('unassign'));
    expect(calls.indexOf('commit orders/0 1')).toBeLessThan(calls.indexOf('unassign'));
    expect(calls.indexOf('commit orders/0 1')).toBeGreaterThan(0);
    expect(started).toEqual(['0-0']);
  });

  test('waits no longer than rebalanceGraceMs; a partition that goes is aborted, one that stays goes on', async () => {
    const never = gate();
    const aborted: string[] = [];
    const { native, calls, started, events } = await runs(
      async (place, signal) => {
        signal.addEventListener('abort', () => aborted.push(place));
        await never.opened;
      },
      { rebalanceGraceMs: 50 },
    );
    native.assignPartitions(0, 1);
    native.push({ offset: 0 }, { offset: 0, partition: 1 });
    await until(() => started.length === 2);
    native.revoke(0, 1);
    await until(() => calls.includes('unassign'));
    native.assignPartitions(1);
    native.push({ offset: 0, partition: 1 });
    await until(() => events.some(({ type }) => type === 'partition-lost'));
    expect(aborted).toEqual(['0-0']);
    never.open();
    await until(() => calls.includes('commit orders/1 1'));
    // What ran on was joined when it came again.
    expect(started).toHaveLength(2);
  });
});

describe('a stop', () => {
  test('waits for handlers, commits, and then leaves', async () => {
    const finish = gate();
    const { native, calls, started, worker } = await runs(() => finish.opened, { drainMs: 10_000 });
    native.assignPartitions(0);
    native.push({ offset: 0 }, { offset: 1 });
    await until(() => started.length === 1);
    const stopped = worker.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).not.toContain('disconnect');
    finish.open();
    await stopped;
    expect(calls.slice(-3)).toEqual(['commit orders/0 1', 'unsubscribe', 'disconnect']);
    expect(started).toEqual(['0-0']);
    expect(worker.health()).toMatchObject({ live: true, ready: false });
  });

  test('gives partitions back at once that are asked back meanwhile, and it can run again', async () => {
    const { native, calls, consumers, worker, started } = await runs();
    native.assignPartitions(0);
    const stopped = worker.stop();
    native.revoke(0);
    await stopped;
    expect(calls).toContain('unassign');
    await worker.run();
    expect(consumers).toHaveLength(2);
    consumers[1]?.assignPartitions(0);
    consumers[1]?.push({ offset: 0 });
    await until(() => started.length === 1);
  });

  test('waits for no broker that does not say what is committed', async () => {
    const { native, calls, worker } = await runs(undefined, { fromBeginning: false });
    native.does.committed.push(...Array.from({ length: 100 }, () => new Error('no answer')));
    native.assignPartitions(0);
    await worker.stop();
    expect(calls).toEqual(expect.arrayContaining(['assign orders/0@committed', 'disconnect']));
  });

  test('leaves nothing behind when it could not connect', async () => {
    const { worker, consumers, faults } = await runs();
    await worker.stop();
    faults.connect = new Error('no broker');
    await expect(worker.run()).rejects.toThrow('could not connect to localhost:9092: Error: no broker');
    faults.connect = null;
    await worker.run();
    expect(consumers).toHaveLength(3);
  });
});

describe('calls that are not awaited', () => {
  test('a second run is refused, and leaves one consumer to stop', async () => {
    const { worker, consumers, calls } = await runs();
    await worker.stop();
    const first = worker.run();
    await expect(worker.run()).rejects.toThrow('the worker is already running: call stop() first');
    await first;
    await expect(worker.run()).rejects.toThrow('the worker is already running: call stop() first');
    await worker.stop();
    expect(consumers).toHaveLength(2);
    expect(calls.filter((call) => call === 'disconnect')).toHaveLength(2);
  });

  test('a stop at once makes a run come to nothing', async () => {
    const { worker, consumers } = await runs();
    await worker.stop();
    const ran = worker.run();
    await worker.stop();
    await ran;
    expect(consumers).toHaveLength(1);
    expect(worker.paused()).toEqual([]);
  });

  test('a stop while it connects ends what has connected', async () => {
    const { worker, calls } = await runs();
    await worker.stop();
    calls.length = 0;
    const ran = worker.run();
    await until(() => calls.includes('connect'));
    await worker.stop();
    await ran;
    expect(calls.at(-1)).toBe('disconnect');
  });

  test('a run waits for a stop that drains, and the last stop ends it', async () => {
    const finish = gate();
    const { worker, native, started, consumers, calls } = await runs(() => finish.opened, {
      drainMs: 10_000,
    });
    native.assignPartitions(0);
    native.push({ offset: 0 });
    await until(() => started.length === 1);
    const draining = worker.stop();
    const ran = worker.run();
    finish.open();
    await Promise.all([draining, ran]);
    expect(consumers).toHaveLength(2);
    const restarted = [worker.stop(), worker.run(), worker.stop()];
    await Promise.all(restarted);
    expect(consumers).toHaveLength(2);
    expect(calls.filter((call) => call === 'disconnect')).toHaveLength(2);
    await expect(worker.run()).resolves.toBeUndefined();
  });
});

test('what has connected is left again where topics are refused', async () => {
  const { worker, faults, calls } = await runs();
  await worker.stop();
  calls.length = 0;
  faults.subscribe = new Error('Local: Invalid argument');
  await expect(worker.run()).rejects.toThrow('Invalid argument');
  expect(calls.at(-1)).toBe('disconnect');
});

test('a seek takes effect between two calls for messages, and is tried again where it comes too early', async () => {
  const { native, calls, started, worker, events } = await runs();
  native.assignPartitions(0);
  native.does.seek.push(Object.assign(new Error('Erroneous state'), { code: -172 }), new Error('no leader'));
  worker.seek({ topic: 'orders', partition: 0, offset: '40' });
  native.push({ offset: 5 });
  await until(() => calls.filter((call) => call === 'seek orders/0 40').length === 3);
  native.push({ offset: 40 });
  await until(() => started.length > 0);
  expect(started).toEqual(['0-40']);
  const errors = events.flatMap((event) => (event.type === 'client-error' ? [event.error] : []));
  expect(errors).toMatchObject([{ message: 'no leader' }]);
});

test('of two seeks of a partition the later counts', async () => {
  const { native, calls, started, worker } = await runs();
  native.assignPartitions(0, 1);
  for (const [n, partition] of [0, 1, 0].entries()) {
    worker.seek({ topic: 'orders', partition, offset: String(40 + n) });
  }
  await until(() => calls.includes('seek orders/0 42'));
  native.push({ offset: 42 }, { offset: 41, partition: 1 });
  await until(() => started.length === 2);
  expect(started).toEqual(['0-42', '1-41']);
  expect(calls.filter((call) => call.startsWith('seek'))).toEqual(['seek orders/1 41', 'seek orders/0 42']);
});

test('a seek to the end is committed, though nothing comes from there', async () => {
  const { native, worker, commits, calls } = await runs();
  native.assignPartitions(0);
  native.push({ offset: 0 });
  await until(() => commits().includes('commit orders/0 1'));
  worker.seek({ topic: 'orders', partition: 0, offset: '10' });
  await until(() => calls.includes('seek orders/0 10'));
  native.pushEnd(10);
  await until(() => commits().includes('commit orders/0 10'));
});

test('a seek is committed at once, and what is in flight commits nothing over it', async () => {
  const finish = gate();
  const { native, worker, commits, calls, started } = await runs(() => finish.opened);
  native.assignPartitions(0);
  native.push({ offset: 0 }, { offset: 1 });
  await until(() => started.length === 1);
  worker.seek({ topic: 'orders', partition: 0, offset: '40' });
  finish.open();
  native.revoke(0);
  await until(() => calls.includes('unassign'));
  expect(commits()).toEqual(['commit orders/0 0', 'commit orders/0 40']);
});

test('a seek that the broker does not commit is told', async () => {
  const { native, worker, events } = await runs();
  native.assignPartitions(0);
  native.does.commit = Object.assign(new Error('Broker: not authorized'), { code: 30 });
  worker.seek({ topic: 'orders', partition: 0, offset: '40' });
  await until(() => events.length > 0);
  expect(events).toMatchObject([{ type: 'client-error', verb: 'commit' }]);
});

test('a seek past a message that waits ends its wait', async () => {
  const { native, worker, started, calls } = await runs((place) => {
    if (place === '0-0') throw new RetryableError('not yet', { retryAfterMs: 60_000 });
  });
  native.assignPartitions(0);
  native.push({ offset: 0 });
  await until(() => worker.paused().length > 0);
  worker.seek({ topic: 'orders', partition: 0, offset: '1' });
  await until(() => calls.includes('seek orders/0 1'));
  native.push({ offset: 1 });
  await until(() => started.includes('0-1'));
});

test('a seek is refused while the partition is given back', async () => {
  const finish = gate();
  const { native, worker, started } = await runs(() => finish.opened);
  native.assignPartitions(0);
  native.push({ offset: 0 });
  await until(() => started.length === 1);
  native.revoke(0);
  const seek = () => {
    worker.seek({ topic: 'orders', partition: 0, offset: '0' });
  };
  expect(seek).toThrow('partition 0 of orders is not assigned to this member');
  finish.open();
});

test.each(['abc', '-1', '1.5', '', '9223372036854775808', undefined as never])(
  'a seek to %j is refused',
  async (offset) => {
    const { worker } = await runs();
    const seek = () => {
      worker.seek({ topic: 'orders', partition: 0, offset });
    };
    expect(seek).toThrow(InvalidOptionsError);
    expect(seek).toThrow(/^seek: offset: must be a whole number as a string/);
  },
);

test.each(['pause', 'resume'] as const)('a %s of a topic that is not consumed is refused', async (call) => {
  const { worker } = await runs();
  expect(() => {
    worker[call]([{ topic: 'orders' }, { topic: 'others' }]);
  }).toThrow(`${call}: 1.topic: must be one of the worker's topics: orders`);
});

test.each([
  [{ topic: 'orders' }, "must be a list, such as [{ topic: 'orders' }]"],
  [[{ topic: 'orders', partition: 0 }], '0.partition: is not an option'],
  [[{ topic: 'orders', partitions: ['0'] }], '0.partitions.0: must be the number of a partition'],
  [[{ topic: 'orders', partitions: 0 }], '0.partitions: must be a list of numbers of partitions'],
])('a pause of %j is refused, and not taken for another', async (given, why) => {
  const { worker } = await runs();
  for (const call of ['pause', 'resume'] as const) {
    const refused = (): void => {
      worker[call](given as never);
    };
    expect(refused).toThrow(InvalidOptionsError);
    expect(refused).toThrow(`${call}: ${why}`);
  }
});

test("a user's pause holds, and ends when the user ends it", async () => {
  const { native, started, worker } = await runs();
  native.assignPartitions(0, 1);
  worker.pause([{ topic: 'orders', partitions: [0] }]);
  native.push({ offset: 0 }, { offset: 0, partition: 1 });
  await until(() => started.length === 1);
  expect(started).toEqual(['1-0']);
  worker.resume([{ topic: 'orders' }]);
  await until(() => started.length === 2);
});

test('what the client gets over is told, and a fatal error stops the worker', async () => {
  const { native, events, calls, worker } = await runs();
  native.does.consume.push(Object.assign(new Error('unknown topic'), { code: 3 }));
  await until(() => events.some((event) => event.type === 'client-error' && event.verb === 'fetch'));
  native.does.consume.push(Object.assign(new Error('fenced'), { code: -150 }));
  await until(() => calls.includes('disconnect'));
  expect(events).toContainEqual(expect.objectContaining({ type: 'warning', warning: 'CONSUMER_STOPPED' }));
  expect(worker.health().live).toBe(false);
});

describe('threads', () => {
  test('that are too few for one worker more are warned of, and no worker that has stopped counts', async () => {
    const first = await runs();
    await first.worker.stop();
    const others = [await runs(), await runs(), await runs()];
    expect([first, ...others].map(({ warnings }) => warnings())).toEqual([
      [],
      [],
      [],
      [expect.stringMatching(/^THREADS_TOO_FEW: .*UV_THREADPOOL_SIZE=7/s)],
    ]);
  });

  test('are enough where the process says so', async () => {
    vi.stubEnv('UV_THREADPOOL_SIZE', '7');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const workers = [await runs(), await runs(), await runs()];
    expect(workers.flatMap(({ warnings }) => warnings())).toEqual([]);
  });
});

describe('options', () => {
  test.each<[what: string, options: Options, fields: string[]]>([
    ['none wrong', {}, []],
    ['no topics', { topics: [] }, ['topics']],
    ['a topic twice', { topics: ['orders', 'orders'] }, ['topics']],
    ['no brokers', { config: {} }, ['config.bootstrap.servers']],
    ['brokers by their other name', { config: { 'metadata.broker.list': 'localhost:9092' } }, []],
    [
      'times that are no numbers',
      { config: { ...BROKERS, 'session.timeout.ms': 'abc' } },
      ['config.session.timeout.ms'],
    ],
    ['times as text', { config: { ...BROKERS, 'session.timeout.ms': '45000' } }, []],
    ['another package', { client: {} as never }, ['client']],
    ['settings of the promise API', { config: { ...BROKERS, kafkaJS: {} } }, ['config.kafkaJS']],
    ['a group', { config: { ...BROKERS, 'group.id': 'other' } }, ['config.group.id']],
    [
      'commits of the client',
      { config: { ...BROKERS, 'enable.auto.commit': true } },
      ['config.enable.auto.commit'],
    ],
    [
      'a callback of commits',
      { config: { ...BROKERS, offset_commit_cb: true } },
      ['config.offset_commit_cb'],
    ],
    [
      'messages of aborted transactions',
      { config: { ...BROKERS, 'isolation.level': 'read_uncommitted' } },
      ['config.isolation.level'],
    ],
    ['a reset', { config: { ...BROKERS, 'auto.offset.reset': 'latest' } }, ['config.auto.offset.reset']],
    [
      'cooperative assignment',
      { config: { ...BROKERS, 'partition.assignment.strategy': 'cooperative-sticky' } },
      ['config.partition.assignment.strategy'],
    ],
    ['the new protocol', { config: { ...BROKERS, 'group.protocol': 'consumer' } }, ['config.group.protocol']],
    [
      'a grace above the poll interval',
      { config: { ...BROKERS, 'max.poll.interval.ms': 1_000 } },
      ['rebalanceGraceMs'],
    ],
  ])('%s', (_, options, fields) => {
    const given = { client: fakePackage().client, config: BROKERS, ...workerBench().options, ...options };
    const issues = issuesOf(() => createKafkaWorker(given, () => undefined));
    expect(issues.map(({ field }) => field)).toEqual(fields);
  });

  test('timeouts that contradict the lease are warned of, by their names', async () => {
    const { warnings } = await runs(undefined, {
      config: { ...BROKERS, 'session.timeout.ms': 6_000, 'heartbeat.interval.ms': 5_000 },
      handleOnce: handleOnceOf(7_000),
    });
    expect(warnings()).toEqual([
      expect.stringMatching(/^HEARTBEAT_TOO_RARE: heartbeat\.interval\.ms of 5000 ms/),
      expect.stringMatching(/^LEASE_OUTLIVES_SESSION: .*session\.timeout\.ms \(6000 ms\)/),
    ]);
  });
});
