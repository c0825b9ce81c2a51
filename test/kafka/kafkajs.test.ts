import { describe, expect, test, vi } from 'vitest';
import { fetchOf as fetchOfBatch, listenTo } from '../../adapters/kafka/client/kafkajs.ts';
import type { BatchPayload } from '../../adapters/kafka/log/kafkajs-types.ts';
import type { LogListener } from '../../adapters/kafka/log/log-client.ts';
import { ConsumerEndedError } from '../../adapters/kafka/log/stop-errors.ts';
import { Pauses } from '../../adapters/kafka/partition/pauses.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { gate } from '../support/gate.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { type FakeConsumer, fakeConsumer } from './support/fake-consumer.ts';
import { message } from './support/messages.ts';

const PLACE = { topic: 'orders', partition: 0 };
const TOPIC = { topic: 'orders', partitions: [0] };
const turns = () => new Promise((resolve) => setImmediate(resolve));

/** A listener that notes what it is told. */
function listened(consumer: FakeConsumer = fakeConsumer()) {
  const told: unknown[] = [];
  const noting =
    (what: string) =>
    (...given: unknown[]) => {
      told.push([what, ...given]);
    };
  const does = { stopping: () => Promise.resolve() };
  const listener: LogListener = {
    joined: noting('joined'),
    lookedUp: noting('lookedUp'),
    passedOver: noting('passedOver'),
    stopping: () => {
      told.push(['stopping']);
      return does.stopping();
    },
    stopped: noting('stopped'),
    crashed: noting('crashed'),
    misused: noting('misused'),
    moved: noting('moved'),
  };
  const pauses: Pauses = new Pauses(() => client, systemClock);
  const client = listenTo(consumer, { groupId: 'workers', listener, pauses });
  const config = {
    eachBatch(payload: BatchPayload) {
      client.fetchOf(payload);
      return Promise.resolve();
    },
  };
  const run = async () => {
    await consumer.run(config as never);
    consumer.join({ orders: [0] });
  };
  const hand = () => consumer.hand(fakeBatch([message(10)]));
  return { consumer, client, config, run, hand, pauses, told, does };
}

describe("the user's calls of the consumer", () => {
  test('of pause and resume are passed on, and known', () => {
    const { consumer, pauses } = listened();
    consumer.pause([TOPIC]);
    expect(pauses.user.has(PLACE)).toBe(true);
    consumer.resume([{ topic: 'orders' }]);
    expect(pauses.user.has(PLACE)).toBe(false);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders']);
  });

  test('that the client refuses are not known', () => {
    const { consumer, pauses } = listened();
    consumer.stopped = true;
    expect(() => {
      consumer.pause([TOPIC]);
    }).toThrow(/not initialized/);
    expect(pauses.user.has(PLACE)).toBe(false);
  });

  test.each(['stop', 'disconnect'] as const)(
    'of %s are passed on, and wait for what still runs',
    async (verb) => {
      const { consumer, told, does } = listened();
      const runs = gate();
      does.stopping = () => runs.opened;
      let hasEnded = false;
      const ended = consumer[verb]().then(() => (hasEnded = true));
      await turns();
      expect([consumer.calls, told, hasEnded]).toEqual([[verb], [['stopping'], ['stopped']], false]);
      runs.open();
      await ended;
    },
  );

  test.each(['run', 'stop', 'disconnect'] as const)('of %s reject as the client does', async (verb) => {
    const { consumer } = listened();
    const error = new Error('no');
    consumer.does[verb] = () => Promise.reject(error);
    await expect(consumer[verb]()).rejects.toBe(error);
  });

  test('of run get the config', async () => {
    const consumer = fakeConsumer();
    const run = vi.spyOn(consumer, 'run');
    listened(consumer);
    const config = { autoCommit: true } as never;
    await consumer.run(config);
    expect(run).toHaveBeenCalledExactlyOnceWith(config);
  });
});

describe('our own calls', () => {
  test('of pause and resume are not taken for the user’s', () => {
    const { consumer, pauses } = listened();
    const resume = pauses.hold(PLACE);
    expect(pauses.user.has(PLACE)).toBe(false);
    resume();
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
  });

  test('of pause stay where the user resumes their topic, and no other', () => {
    const { consumer, client, pauses } = listened();
    pauses.hold(PLACE);
    consumer.resume([{ topic: 'orders' }]);
    client.callOfUser('resume', [{ topic: 'mails' }]);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders', 'pause orders/0', 'resume mails']);
  });

  test('of pause are of the topic where the user has paused it, but for what was resumed', () => {
    const { consumer, pauses } = listened();
    consumer.pause([{ topic: 'orders' }]);
    const resume = pauses.hold(PLACE);
    resume();
    expect(consumer.calls.splice(0)).toEqual(['pause orders']);
    for (const partition of [0, 1]) consumer.resume([{ topic: 'orders', partitions: [partition] }]);
    pauses.hold(PLACE);
    expect(consumer.calls.slice(2)).toEqual(['pause orders', 'resume orders/1']);
    pauses.hold({ topic: 'orders', partition: 1 });
    expect(consumer.calls.slice(4)).toEqual(['pause orders']);
  });

  test('of a start are a commit and a move, which is not told as the user’s', async () => {
    const { consumer, client, told } = listened();
    await client.commit(PLACE, 7n);
    client.moveTo(PLACE, 7n);
    expect([consumer.calls, told]).toEqual([['commit orders/0 7', 'seek orders/0 7'], []]);
  });

  test('and a seek of the user’s is told', () => {
    const { consumer, told } = listened();
    consumer.seek({ ...PLACE, offset: '3' });
    expect([consumer.calls, told]).toEqual([['seek orders/0 3'], [['moved', { ...PLACE, offset: '3' }, 3n]]]);
    for (const offset of ['0', '-1']) consumer.seek({ ...PLACE, offset });
    expect(told.slice(1)).toMatchObject([
      ['moved', {}, 0n],
      ['moved', {}, undefined],
    ]);
  });

  test.each([
    ['REBALANCE_IN_PROGRESS', true],
    ['REQUEST_TIMED_OUT', false],
    [undefined, false],
  ])('that fail with %s end the membership: %s', (type, ends) => {
    const { client } = listened();
    expect(client.endsMembership(Object.assign(new Error('no'), type && { type }))).toBe(ends);
  });

  test.each([true, false])('of a fetch say whether a seek has made it void: %s', (isStale) => {
    const fetch = fetchOfBatch({ ...fakeBatch([message(10)]), isStale: () => isStale });
    expect([fetch.advance(11n), fetch.isStale()]).toEqual([!isStale, isStale]);
  });
});

describe('what the client tells', () => {
  test('of the group and of a crash is passed on', () => {
    const { consumer, told } = listened();
    const error = new Error('no');
    consumer.join({ orders: [0] });
    consumer.crash(error, true);
    expect(told).toEqual([['joined', { orders: [0] }], ['stopped'], ['crashed', error, true]]);
  });

  test('of a batch of which nothing is delivered is the position after it; others tell by themselves', () => {
    const { consumer, told } = listened();
    consumer.endBatch('orders', 0, '41');
    consumer.endBatch('orders', 0, '50', 3);
    expect(told).toEqual([['passedOver', PLACE, 42n]]);
  });
});

describe('a consumer that comes back after it was stopped', () => {
  test.each(['stop', 'disconnect'] as const)('by %s while it joined is ended by an error', async (verb) => {
    const { consumer, run, hand } = listened();
    await run();
    await expect(hand()).resolves.toBeUndefined();
    await consumer[verb]();
    await expect(hand()).rejects.toThrow(ConsumerEndedError);
    await expect(hand()).rejects.toMatchObject({ retriable: false });
  });

  test('may run again', async () => {
    const { consumer, run, hand } = listened();
    await consumer.stop();
    await run();
    await expect(hand()).resolves.toBeUndefined();
  });

  test('still hands over while it stops', async () => {
    const { consumer, run, hand } = listened();
    await run();
    const end = gate();
    consumer.does.stop = () => end.opened;
    const stopped = consumer.stop();
    await expect(hand()).resolves.toBeUndefined();
    end.open();
    await stopped;
  });
});

describe('a consumer of another group than the records', () => {
  test('stops before it handles anything', async () => {
    const { consumer, run, hand } = listened();
    await run();
    consumer.join({ orders: [0] }, 'shipping');
    await expect(hand()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      retriable: false,
      message: expect.stringMatching(/groupId: is workers, .*joined the group shipping/) as string,
    });
  });
});

describe('a config that another consumer runs', () => {
  const REFUSED = {
    code: 'INVALID_OPTIONS',
    retriable: false,
    message: expect.stringMatching(/consumer: is not the one that runs this config/) as string,
  };

  test.each(['runs too', 'does not run'])('stops that one, where its own %s', async (own) => {
    const { run, config, told } = listened();
    if (own === 'runs too') await run();
    const other = fakeConsumer();
    await other.run(config as never);
    const hand = () => other.hand(fakeBatch([message(10)], { topic: 'bills' }));
    await expect(hand()).rejects.toMatchObject(REFUSED);
    await expect(hand()).rejects.toMatchObject(REFUSED);
    const misuses = told.filter((call) => (call as unknown[])[0] === 'misused');
    expect(misuses).toEqual([['misused', expect.objectContaining(REFUSED)]]);
  });

  test('stops that one for a partition that its own consumer had', async () => {
    const { consumer, run, hand, config, told } = listened();
    await run();
    await hand();
    consumer.join({ orders: [1] });
    const other = fakeConsumer();
    await other.run(config as never);
    await expect(other.hand(fakeBatch([message(11)]))).rejects.toMatchObject(REFUSED);
    expect(told.at(-1)).toEqual(['misused', expect.objectContaining(REFUSED)]);
  });

  test.each(['stop', 'disconnect'] as const)('stops that one after its own has ended by %s', async (verb) => {
    const { consumer, run, config } = listened();
    await run();
    await consumer[verb]();
    const other = fakeConsumer();
    await other.run(config as never);
    await expect(other.hand(fakeBatch([message(11)]))).rejects.toMatchObject(REFUSED);
  });

  test('is not one that its consumer calls from a function around it, with what was fetched before a rebalance', async () => {
    const { consumer, client } = listened();
    const eachBatch = async (payload: BatchPayload) => {
      await turns();
      client.fetchOf(payload);
    };
    await consumer.run({ eachBatch } as never);
    consumer.join({ orders: [0, 1] });
    const handed = [
      consumer.hand(fakeBatch([message(10)])),
      consumer.hand(fakeBatch([message(20)], { partition: 1 })),
    ];
    consumer.join({ orders: [1] });
    await expect(Promise.all(handed)).resolves.toBeDefined();
  });

  test('is an older one, once its consumer has got another', async () => {
    const first = listened();
    await first.run();
    await first.consumer.stop();
    listened(first.consumer);
    await first.run();
    await expect(first.hand()).rejects.toMatchObject(REFUSED);
  });

  test('is the first of two that were made for one consumer', async () => {
    const first = listened();
    const second = listened(first.consumer);
    await first.run();
    await expect(first.hand()).rejects.toMatchObject(REFUSED);
    await second.run();
    await expect(second.hand()).resolves.toBeUndefined();
  });
});

describe('a consumer that runs', () => {
  const REFUSED = {
    code: 'INVALID_OPTIONS',
    message: expect.stringMatching(/consumer: is already running/) as string,
  };

  test('is refused for a second config, and the first goes on', async () => {
    const { consumer, run, hand, told } = listened();
    await run();
    expect(() => listened(consumer)).toThrow(expect.objectContaining(REFUSED));
    consumer.join({ orders: [0, 1] });
    expect(told.at(-1)).toEqual(['joined', { orders: [0, 1] }]);
    await expect(hand()).resolves.toBeUndefined();
  });

  test('a function of its own is refused', async () => {
    const consumer = fakeConsumer();
    await consumer.run({ eachMessage: () => Promise.resolve() } as never);
    expect(() => listened(consumer)).toThrow(expect.objectContaining(REFUSED));
    expect(consumer.calls).toEqual(['run']);
  });

  test('is refused while it starts again after a crash, until it is stopped', async () => {
    const { consumer, run } = listened();
    await run();
    consumer.crash(new Error('no'), true);
    expect(() => listened(consumer)).toThrow(expect.objectContaining(REFUSED));
    await consumer.stop();
    expect(() => listened(consumer)).not.toThrow();
  });

  test('is given again once it has ended for good', async () => {
    const { consumer, run } = listened();
    await run();
    consumer.crash(new Error('no'), false);
    expect(() => listened(consumer)).not.toThrow();
  });
});

describe('a consumer that is given twice', () => {
  test('calls its own methods once, and tells the last', async () => {
    const first = listened();
    const second = listened(first.consumer);
    first.consumer.pause([TOPIC]);
    await first.consumer.stop();
    expect(first.consumer.calls).toEqual(['pause orders/0', 'stop']);
    expect(second.told).toEqual([['stopping'], ['stopped']]);
    expect(first.told).toEqual([]);
  });

  test('tells the last alone that it has joined', () => {
    const first = listened();
    const second = listened(first.consumer);
    first.consumer.join({ orders: [0] });
    expect([first.told, second.told]).toEqual([[], [['joined', { orders: [0] }]]]);
  });

  test('runs again with the last', async () => {
    const { consumer } = listened();
    await consumer.stop();
    const { run, hand } = listened(consumer);
    await run();
    await expect(hand()).resolves.toBeUndefined();
  });
});

describe('a batch', () => {
  const fetchOf = (...given: Parameters<typeof fakeBatch>) => {
    const batch = fakeBatch(...given);
    return { batch, fetch: fetchOfBatch(batch) };
  };

  test('is a fetch from the offset that was asked for, to the last that was read', () => {
    const { fetch } = fetchOf([message(10), message(14)], { partition: 3, from: 7, last: 19, end: 30 });
    expect(fetch).toMatchObject({ topic: 'orders', partition: 3, from: 7n, to: 20n, end: 30n });
    expect(fetch.messages.map(({ offset }) => offset)).toEqual(['10', '14']);
  });

  test('of a client that does not tell what was asked for is a fetch from its first message', () => {
    expect(fetchOf([message(10)]).fetch.from).toBe(10n);
  });

  test('of messages of the oldest formats is completed', () => {
    const { timestamp, headers, ...oldest } = message(10);
    const [completed] = fetchOf([oldest]).fetch.messages;
    expect([timestamp, headers]).toBeDefined();
    expect(completed).toMatchObject({ timestamp: '-1', headers: {} });
    expect(fetchOf([message(10)]).fetch.messages[0]).toMatchObject({ timestamp: '1700000000000' });
  });

  test('has headers named as what each object inherits, which kafkajs puts before them', () => {
    const [one, other] = [Buffer.from('1'), Buffer.from('2')];
    const read = Object.fromEntries<unknown>([
      ['trace', one],
      ['constructor', [Object, one]],
      ['__proto__', [Object.prototype, one, null, other]],
    ]);
    const [{ headers } = message(10)] = fetchOf([{ ...message(10), headers: read as never }]).fetch.messages;
    expect(Object.entries(headers)).toEqual([
      ['trace', one],
      ['constructor', one],
      ['__proto__', [one, null, other]],
    ]);
  });

  test('is told the last settled offset, and commits positions', async () => {
    const { batch, fetch } = fetchOf([message(10)]);
    fetch.advance(9_007_199_254_740_994n);
    await fetch.commit(9_007_199_254_740_994n);
    expect([batch.resolved, batch.committed]).toEqual([['9007199254740993'], ['9007199254740994']]);
  });

  test('passes on heartbeats, and whether it still counts', async () => {
    const { batch, fetch } = fetchOf([message(10)]);
    await fetch.heartbeat();
    expect([batch.counts.heartbeats, fetch.isRunning(), fetch.isStale()]).toEqual([1, true, false]);
    Object.assign(batch.does, { isRunning: false, isStale: true });
    expect([fetch.isRunning(), fetch.isStale()]).toEqual([false, true]);
  });
});

describe('an error that ends the membership', () => {
  const { client } = listened();
  const withType = (type: unknown) => Object.assign(new Error('no'), { type });

  test.each([
    'REBALANCE_IN_PROGRESS',
    'NOT_COORDINATOR_FOR_GROUP',
    'ILLEGAL_GENERATION',
    'UNKNOWN_MEMBER_ID',
  ])('is %s', (type) => {
    expect(client.endsMembership(withType(type))).toBe(true);
  });

  test.each([
    withType('NOT_LEADER_FOR_PARTITION'),
    withType(undefined),
    new Error('REBALANCE_IN_PROGRESS'),
    { type: 'REBALANCE_IN_PROGRESS' },
    'REBALANCE_IN_PROGRESS',
    undefined,
  ])('is not %o', (error) => {
    expect(client.endsMembership(error)).toBe(false);
  });
});
