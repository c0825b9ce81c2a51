import { createHandleOnce, StoreError } from 'handle-once';
import type { Store } from 'handle-once/store';
import type { Ordering } from '../../adapters/kafka/options/ordering.ts';
import { getEventListeners } from 'node:events';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { gate } from '../support/gate.ts';
import { BACKOFF_MS, bench, pass } from './support/bench.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';
import { retryCopyOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

useFakeTimers();

const KEYS = ['a', 'b', 'a', null, 'b'];
const messages = (count = KEYS.length) =>
  Array.from({ length: count }, (_, index) => message(10 + index, { key: KEYS[index] ?? null }));

describe('what runs ahead of a message that is pending', () => {
  test.each<[Ordering, ahead: string[]]>([
    ['partition', []],
    ['key', ['11', '13', '14']],
    ['unordered', ['11', '12', '13', '14']],
  ])('under %s', async (ordering, ahead) => {
    const work = ({ message: { offset } }: { message: { offset: string } }) => {
      if (offset === '10') throw new Error('not yet');
    };
    const { run, started, consumer, eventsOf } = bench({ ordering, work });
    const batch = fakeBatch(messages());
    const handled = run(batch);
    await pass();
    expect(handled.state).toBe('ended');
    expect(started.sort()).toEqual(['10', ...ahead]);
    expect(batch.resolved).toEqual([]);
    expect(
      eventsOf('acknowledged')
        .map(({ offset }) => offset)
        .sort(),
    ).toEqual(ahead);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
    expect(eventsOf('partition-paused')).toEqual([
      { type: 'partition-paused', topic: 'orders', partition: 0, retryAfterMs: BACKOFF_MS },
    ]);
    expect(consumer.isPaused('orders', 0)).toBe(true);
  });

  test.each<[Ordering, together: string[]]>([
    ['partition', ['10']],
    ['key', ['10', '11', '13']],
    ['unordered', ['10', '11', '12', '13', '14']],
  ])('while its handler runs, under %s', async (ordering, together) => {
    const { run, started, hold } = bench({ ordering });
    const ends = [10, 11, 12, 13, 14].map(hold);
    const batch = fakeBatch(messages());
    const handled = run(batch);
    await pass();
    expect(started).toEqual(together);
    for (const end of ends) end.open();
    await pass();
    expect([handled.state, batch.resolved.at(-1)]).toEqual(['ended', '14']);
  });

  test('is not told to the client before the pending one is settled', async () => {
    const { run, hold } = bench({ ordering: 'unordered' });
    const first = hold(10);
    const batch = fakeBatch(messages(3));
    run(batch);
    await pass();
    expect(batch.resolved).toEqual([]);
    first.open();
    await pass();
    expect(batch.resolved).toEqual(['12']);
  });
});

test('no more handlers run at once than concurrency says, over all partitions', async () => {
  const { run, started, hold, consumer } = bench({ ordering: 'unordered', concurrency: 3 });
  consumer.join({ orders: [0, 1] });
  const ends = [10, 11, 20, 21].map(hold);
  const runs = [
    run(fakeBatch([message(10), message(11)], { partition: 0 })),
    run(fakeBatch([message(20), message(21)], { partition: 1 })),
  ];
  await pass();
  expect(started).toEqual(['10', '11', '20']);
  ends[1]?.open();
  await pass();
  expect(started).toEqual(['10', '11', '20', '21']);
  for (const end of ends) end.open();
  await pass();
  expect(runs.map(({ state }) => state)).toEqual(['ended', 'ended']);
});

describe('in an ordered lane', () => {
  /** A store whose settles wait for a gate, and then do as they are told. */
  function slowSettles() {
    const memory = createMemoryStore();
    const opens = gate();
    const claimed: string[] = [];
    const answer = { settle: (...call: Parameters<Store['settle']>) => memory.settle(...call) };
    const store: Store = {
      ...memory,
      claim: (requests, terms) => {
        claimed.push(...requests.map(({ key }) => key));
        return memory.claim(requests, terms);
      },
      settle: async (requests, scope) => {
        await opens.opened;
        return answer.settle(requests, scope);
      },
    };
    return { store, claimed, opens, answer };
  }

  test.each([1, 10])(
    'the next is claimed while the one before is settled: concurrency %i',
    async (concurrency) => {
      const { store, claimed, opens } = slowSettles();
      const { run, started } = bench({ store, concurrency });
      const batch = fakeBatch(messages(3));
      run(batch);
      await pass();
      expect(claimed).toEqual(['orders-0-10', 'orders-0-11']);
      expect([started, batch.resolved]).toEqual([['10'], []]);
      opens.open();
      await pass();
      expect([started, batch.resolved]).toEqual([
        ['10', '11', '12'],
        ['10', '11', '12'],
      ]);
    },
  );

  test('one with the key of the one before it is answered once that is settled, and not kept', async () => {
    const { store, opens } = slowSettles();
    const { run, started, eventsOf } = bench({ store, key: () => 'same' });
    const batch = fakeBatch(messages(2));
    run(batch);
    await pass();
    expect(batch.resolved).toEqual([]);
    opens.open();
    await pass();
    expect([started, batch.resolved, eventsOf('kept')]).toEqual([['10'], ['10', '11'], []]);
  });

  test('one with the key of the one before it is not begun where that is not settled', async () => {
    const { store, opens, answer } = slowSettles();
    answer.settle = () => Promise.resolve(['lost']);
    const { run, eventsOf } = bench({ store, key: () => 'same' });
    run(fakeBatch(messages(2)));
    await pass();
    opens.open();
    await pass();
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'lease-lost' }]);
  });

  test('one that was claimed ahead, and fails, is not run again in its turn', async () => {
    const { run, started } = bench({
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing', backoff: () => 0 }),
      work: ({ message: { offset } }) => {
        if (offset === '11') throw new Error('not yet');
      },
    });
    const handled = run(fakeBatch(messages(2)));
    await pass();
    expect([handled.state, started]).toEqual(['ended', ['10', '11']]);
  });

  test('a copy whose turn does not come is not begun', async () => {
    const { store, opens, answer } = slowSettles();
    answer.settle = () => Promise.resolve(['lost']);
    const { run, started } = bench({ store });
    const { headers } = retryCopyOf({ topic: 'orders', partition: 0, message: message(5) }, 'workers');
    const handled = run(fakeBatch([message(10), { ...message(11), headers }]));
    await pass();
    opens.open();
    await pass();
    expect([handled, started]).toEqual([{ state: 'ended', error: undefined }, ['10']]);
  });

  test('a message that cannot be read does not fail before the one ahead of it is settled', async () => {
    const { store, opens } = slowSettles();
    const parse = vi.fn((value: Buffer | null): Buffer => {
      if (String(value) === 'poison') throw new SyntaxError('no');
      return Buffer.from('read');
    });
    const { run, started, eventsOf } = bench({ store, parse });
    const batch = fakeBatch([message(10), message(11, { value: 'poison' }), message(12)]);
    run(batch);
    await pass();
    expect([parse.mock.calls.length, started]).toEqual([1, ['10']]);
    opens.open();
    await pass();
    expect([started, batch.resolved]).toEqual([
      ['10', '12'],
      ['10', '11', '12'],
    ]);
    expect(eventsOf('acknowledged').map(({ offset }) => offset)).toEqual(['10', '11', '12']);
  });

  test('a message whose turn does not come is given back, and its attempt is not counted', async () => {
    const { store, opens, answer } = slowSettles();
    const { settle } = answer;
    answer.settle = (requests, scope) =>
      requests.some(({ key }) => key === 'orders-0-10') ? Promise.resolve(['lost']) : settle(requests, scope);
    const { run, started, attempts, eventsOf, consumer } = bench({ store });
    const batch = fakeBatch(messages(3));
    const handled = run(batch);
    await pass();
    opens.open();
    await pass();
    expect([handled.state, started, batch.resolved]).toEqual(['ended', ['10'], []]);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'lease-lost' }]);

    await pass(1_000);
    expect(consumer.isPaused('orders', 0)).toBe(false);
    run(fakeBatch(messages(3).slice(1)));
    await pass();
    expect(started).toEqual(['10', '11', '12']);
    expect(attempts.map(({ number }) => number)).toEqual([1, 1, 1]);
  });

  test('what is behind a message that was not started waits too, though a pause has ended meanwhile', async () => {
    const { store, opens, answer } = slowSettles();
    const { settle } = answer;
    const released = gate();
    answer.settle = async (requests, scope) => {
      if (requests.some(({ key }) => key === 'orders-0-11')) await released.opened;
      return await settle(requests, scope);
    };
    const { run, started, consumer } = bench({ store });
    const handled = run(fakeBatch(messages(3)));
    await pass();
    consumer.pause([{ topic: 'orders', partitions: [0] }]);
    opens.open();
    await pass();
    consumer.resume([{ topic: 'orders', partitions: [0] }]);
    released.open();
    await pass();
    expect([handled.state, started]).toEqual(['ended', ['10']]);
  });
});

describe('whatever a handler throws', () => {
  test.each([
    ['a TypeError', new TypeError('x is not a function')],
    ['a RangeError', new RangeError('Maximum call stack size exceeded')],
    ['an error that says it is not retriable', Object.assign(new Error('no'), { retriable: false })],
    ['an error of the group', Object.assign(new Error('no'), { type: 'REBALANCE_IN_PROGRESS' })],
    ['an error of the client', Object.assign(new Error('no'), { name: 'KafkaJSNoBrokerAvailableError' })],
    ['a frozen error', Object.freeze(new Error('no'))],
    ['an object without a prototype', Object.create(null) as unknown],
    ['undefined', undefined],
    ['null', null],
  ])('it does not escape: %s', async (_, thrown) => {
    const { run, consumer, eventsOf } = bench({
      work: () => {
        throw thrown;
      },
    });
    const handled = run(fakeBatch(messages(2)));
    await pass();
    expect(handled.state).toBe('ended');
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
    expect(consumer.calls).toEqual(['pause orders/0']);
    await pass(BACKOFF_MS);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
  });
});

describe('a store that is down', () => {
  const down = new StoreError('down', { retriable: false });

  function storeDuring(outage: { readonly isDown: boolean }): Store {
    const memory = createMemoryStore();
    return {
      ...memory,
      claim: (...given) => (outage.isDown ? Promise.reject(down) : memory.claim(...given)),
    };
  }

  test('is not asked for the rest of the batch, and the partition backs off for longer each time', async () => {
    const count = KEYS.length * 4;
    let claims = 0;
    const store: Store = {
      ...createMemoryStore(),
      claim: () => {
        claims += 1;
        return Promise.reject(down);
      },
    };
    const { run, started, eventsOf } = bench({ store, ordering: 'unordered', concurrency: 1 });
    for (const tries of [1, 2, 3]) {
      const handled = run(fakeBatch(messages(count)));
      await pass();
      expect(handled.state).toBe('ended');
      // One more may be on its way when the first is refused.
      expect(claims).toBeLessThanOrEqual(tries * 2);
      await pass(30_000);
    }
    expect(started).toEqual([]);
    expect(eventsOf('kept')[0]).toMatchObject({ offset: '10', reason: 'store-error' });
    expect(eventsOf('kept')[0]?.error?.original).toBe(down);
    expect(eventsOf('partition-paused').map(({ retryAfterMs }) => retryAfterMs)).toEqual([500, 1_000, 2_000]);
  });

  test('begins with a short backoff after something has settled', async () => {
    const outage = { isDown: true };
    const { run, eventsOf } = bench({ store: storeDuring(outage) });
    for (const isDown of [true, true, false, true]) {
      outage.isDown = isDown;
      run(fakeBatch(messages(1)));
      await pass(30_000);
    }
    expect(eventsOf('partition-paused').map(({ retryAfterMs }) => retryAfterMs)).toEqual([500, 1_000, 500]);
  });

  test('does not keep what has started already from being told', async () => {
    const outage = { isDown: false };
    const { run, hold, started } = bench({ store: storeDuring(outage), ordering: 'key' });
    const [first, second] = [10, 11].map(hold);
    const batch = fakeBatch([
      message(10, { key: 'a' }),
      message(11, { key: 'b' }),
      message(12, { key: 'b' }),
    ]);
    const handled = run(batch);
    await pass();
    outage.isDown = true;
    second?.open();
    await pass();
    expect([handled.state, batch.resolved]).toEqual(['running', []]);
    first?.open();
    await pass();
    expect([handled.state, started, batch.resolved]).toEqual(['ended', ['10', '11'], ['11']]);
  });
});

describe('a client that has joined again by itself', () => {
  test('and knows nothing of the batch: nothing is thrown, and nothing more is started', async () => {
    const { run, started, eventsOf, consumer } = bench();
    const batch = fakeBatch(messages(3));
    const error = new TypeError("Cannot set properties of undefined (setting '0')");
    batch.does.resolve = () => {
      throw error;
    };
    const handled = run(batch);
    await pass();
    expect([handled.state, started]).toEqual(['ended', ['10']]);
    expect(eventsOf('client-error')).toEqual([
      { type: 'client-error', verb: 'resolve', error: toEventError(error) },
    ]);
    expect(consumer.calls).toEqual([]);
  });
});

describe('a seek', () => {
  test('stops what has not started, and withholds nothing', async () => {
    const { run, started, hold, consumer } = bench();
    const first = hold(10);
    const batch = fakeBatch(messages(3));
    const handled = run(batch);
    await pass();
    batch.does.isStale = true;
    first.open();
    await pass();
    expect([handled.state, started, batch.resolved, consumer.calls]).toEqual(['ended', ['10'], ['10'], []]);
  });

  test('by a handler that then fails withholds nothing: what failed is not where the client reads', async () => {
    const batch = fakeBatch(messages(3));
    const { run, consumer, eventsOf } = bench({
      work() {
        batch.does.isStale = true;
        throw new Error('no');
      },
    });
    const handled = run(batch);
    await pass();
    expect([handled.state, eventsOf('kept').length, consumer.calls]).toEqual(['ended', 1, []]);
  });
});

describe('a pause by the user', () => {
  test('from a handler stops the batch after the message, until it is ended', async () => {
    let resume = (): void => undefined;
    const { run, started, consumer, eventsOf } = bench({
      work: ({ message: { offset }, pause }) => {
        if (offset === '11') resume = pause();
      },
    });
    const batch = fakeBatch(messages(4));
    const handled = run(batch);
    await pass();
    expect([handled.state, started, batch.resolved]).toEqual(['ended', ['10', '11'], ['10', '11']]);
    expect(eventsOf('partition-paused')).toEqual([]);
    await pass(3_600_000);
    expect(consumer.isPaused('orders', 0)).toBe(true);
    resume();
    expect(consumer.isPaused('orders', 0)).toBe(false);
    run(fakeBatch(messages(4).slice(2)));
    await pass();
    expect(started).toEqual(['10', '11', '12', '13']);
  });

  test('through the consumer does the same, and is not ended by us when the message fails', async () => {
    const { run, started, consumer } = bench({
      work: () => {
        consumer.pause([{ topic: 'orders', partitions: [0] }]);
        throw new Error('not yet');
      },
    });
    const handled = run(fakeBatch(messages(4)));
    await pass(BACKOFF_MS);
    expect([handled.state, started, consumer.calls]).toEqual(['ended', ['10'], ['pause orders/0']]);
  });
});

describe('a stop of the consumer', () => {
  const stop = (drainMs: number, abortable: boolean) => {
    const bed = bench({
      drainMs,
      work: (_, { signal }) => {
        if (abortable)
          return new Promise((__, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          });
        return new Promise(() => undefined);
      },
    });
    const batch = fakeBatch(messages(2));
    const handled = bed.run(batch);
    return { ...bed, batch, handled };
  };

  test('waits for handlers, starts nothing more, and tells what is settled', async () => {
    const { run, started, hold } = bench({ drainMs: 20_000 });
    const first = hold(10);
    const batch = fakeBatch(messages(2));
    const handled = run(batch);
    await pass();
    batch.does.isRunning = false;
    await pass(19_000);
    expect(handled.state).toBe('running');
    first.open();
    await pass();
    expect([handled.state, started, batch.resolved]).toEqual(['ended', ['10'], ['10']]);
  });

  test('aborts handlers when their time is up, and ends when they have given up', async () => {
    const { handled, batch, attempts, consumer, eventsOf } = stop(1_000, true);
    await pass();
    batch.does.isRunning = false;
    await pass(500 + 999);
    expect(attempts[0]?.signal.aborted).toBe(false);
    await pass(1);
    expect(attempts[0]?.signal.reason).toMatchObject({ message: 'the consumer stops' });
    expect([handled.state, batch.resolved, consumer.calls]).toEqual(['ended', [], []]);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
  });

  test('waits for no handler that ignores its signal for more than five seconds', async () => {
    const { handled, batch } = stop(1_000, false);
    await pass();
    batch.does.isRunning = false;
    await pass(500 + 1_000 + 4_999);
    expect(handled.state).toBe('running');
    await pass(1);
    expect(handled.state).toBe('ended');
  });

  test('in the middle of a rebalance throws nothing: there is no joining again', async () => {
    const { run, hold } = bench();
    const first = hold(10);
    const batch = fakeBatch(messages(2));
    const handled = run(batch);
    await pass();
    batch.does.heartbeat = () =>
      Promise.reject(Object.assign(new Error('no'), { type: 'REBALANCE_IN_PROGRESS' }));
    await pass(500);
    batch.does.isRunning = false;
    first.open();
    await pass(5_000);
    expect([handled.state, batch.resolved]).toEqual(['ended', ['10']]);
  });
});

test('a message of the oldest formats, without timestamp and headers, is completed and handled', async () => {
  const seen: unknown[] = [];
  const { run } = bench({ work: ({ message: { timestamp, headers } }) => seen.push({ timestamp, headers }) });
  const { timestamp, headers, ...oldest } = message(10);
  expect([timestamp, headers]).toBeDefined();
  const batch = fakeBatch([oldest]);
  run(batch);
  await pass();
  expect([batch.resolved, seen]).toEqual([['10'], [{ timestamp: '-1', headers: {} }]]);
});

test('no listener is left on a signal that outlives its batch', async () => {
  const listen = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  const { run } = bench({ ordering: 'unordered' });
  run(fakeBatch(messages()));
  await pass();
  const signals = new Set(listen.mock.contexts as AbortSignal[]);
  listen.mockRestore();
  expect(signals.size).toBeGreaterThan(0);
  expect([...signals].flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
});

test('no timer is left when a batch has ended', async () => {
  const { run } = bench({ ordering: 'unordered' });
  const batch = fakeBatch(messages());
  run(batch);
  await pass();
  const { heartbeats } = batch.counts;
  await pass(10_000);
  expect(batch.counts.heartbeats).toBe(heartbeats);
});

test('a message that another worker runs is looked at again within a second', async () => {
  const store = createMemoryStore();
  const other = bench({ store });
  const first = other.hold(10);
  other.run(fakeBatch([message(10)]));
  await pass();
  const { run, eventsOf } = bench({ store });
  run(fakeBatch([message(10)]));
  await pass();
  expect(eventsOf('kept')).toMatchObject([{ reason: 'in-flight' }]);
  expect(eventsOf('partition-paused')).toMatchObject([{ retryAfterMs: 1_000 }]);
  first.open();
});
