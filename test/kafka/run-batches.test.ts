import { StoreError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import type { Ordering } from '../../adapters/kafka/options/ordering.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { gate } from '../support/gate.ts';
import { BACKOFF_MS, bench, type BenchOptions, pass } from './support/bench.ts';
import { retryCopyOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

useFakeTimers();

const messages = (...keys: (string | null)[]) => keys.map((key, index) => message(10 + index, { key }));
const unkeyed = (count: number) => messages(...Array<null>(count).fill(null));

const batched = (options: BenchOptions = {}) => bench({ batch: { size: 2 }, ...options });

const byName = (names: string[][]) => names.toSorted((one, other) => (one < other ? -1 : 1));

const KEYS = ['a', 'b', 'a', 'c', 'b', 'c'] as const;

/** A store, and the keys of all claims. */
function watchedStore(watched: Store = createMemoryStore()) {
  const claimed: string[] = [];
  const store: Store = {
    ...watched,
    claim: (requests, terms) => {
      claimed.push(...requests.map(({ key }) => key));
      return watched.claim(requests, terms);
    },
  };
  return { store, claimed };
}

/** A store in which another worker has messages, until `finish`. */
async function storeWithOthers(...held: ReturnType<typeof messages>) {
  const store = createMemoryStore();
  const elsewhere = bench({ store, ordering: 'unordered' });
  const gates = held.map(({ offset }) => elsewhere.hold(Number(offset)));
  elsewhere.run(fakeBatch(held));
  await pass();
  return {
    store,
    finish: async () => {
      for (const { open } of gates) open();
      await pass();
    },
  };
}

describe('the messages of a fetch', () => {
  test.each<[Ordering, first: string[][]]>([
    ['partition', [['10', '11']]],
    ['key', [['10', '11']]],
    ['unordered', [['10', '11'], ['12', '13'], ['14']]],
  ])('are cut into batches in the order of their offsets, under %s', async (ordering, first) => {
    const { run, batches, hold, eventsOf } = batched({ ordering });
    const gates = [10, 12, 14].map(hold);
    const batch = fakeBatch(unkeyed(5));
    const handled = run(batch);
    await pass();
    expect(batches.toSorted()).toEqual(first);
    for (const { open } of gates) open();
    await pass();
    expect(batches.toSorted()).toEqual([['10', '11'], ['12', '13'], ['14']]);
    expect([handled.state, batch.resolved.at(-1), eventsOf('acknowledged').length]).toEqual([
      'ended',
      '14',
      5,
    ]);
  });

  test('have a payload and an attempt each, and are on record each', async () => {
    const seen: unknown[] = [];
    const { run, attempts } = batched({
      work: ({ topic, partition, payload, message: { offset } }) =>
        seen.push([topic, partition, offset, String(payload)]),
    });
    run(fakeBatch([message(10, { value: 'one' }), message(11, { value: 'two' })]));
    await pass();
    expect(seen).toEqual([
      ['orders', 0, '10', 'one'],
      ['orders', 0, '11', 'two'],
    ]);
    expect(attempts.map(({ key }) => key)).toEqual(['orders-0-10', 'orders-0-11']);
  });

  test('are answered from their records when they are fetched again', async () => {
    const { run, batches, eventsOf } = batched();
    run(fakeBatch(unkeyed(2)));
    await pass();
    const again = fakeBatch(unkeyed(3), { from: 10 });
    run(again);
    await pass();
    expect([batches, again.resolved.at(-1)]).toEqual([[['10', '11'], ['12']], '12']);
    expect(eventsOf('replayed').map(({ offset }) => offset)).toEqual(['10', '11']);
  });

  test('that failed before run alone, in their order', async () => {
    const { run, batches, consumer } = batched({
      batch: { size: 4 },
      work: (_, attempt) => {
        if (attempt.number === 1) attempt.fail(new Error('not yet'));
      },
    });
    run(fakeBatch(unkeyed(2)));
    await pass(BACKOFF_MS);
    expect(consumer.isPaused('orders', 0)).toBe(false);
    run(fakeBatch(unkeyed(2)));
    await pass();
    expect(batches).toEqual([['10', '11'], ['10'], ['11']]);
  });
});

test.each<Ordering>(['partition', 'key', 'unordered'])(
  'a key that comes twice in a batch runs once, and is answered after that, under %s',
  async (ordering) => {
    const { run, batches, eventsOf } = batched({
      ordering,
      batch: { size: 4 },
      key: ({ key }) => String(key),
    });
    const batch = fakeBatch(messages('a', 'b', 'a', 'c'));
    run(batch);
    await pass();
    expect(batches.flat().toSorted()).toEqual(['10', '11', '13']);
    expect(eventsOf('replayed')).toMatchObject([{ offset: '12', key: 'a' }]);
    expect([batch.resolved.at(-1), eventsOf('kept')]).toEqual(['13', []]);
  },
);

test('only those of a batch that wait go to a retry topic', async () => {
  const admin = fakeAdmin({
    describeGroups: () =>
      Promise.resolve({ groups: [{ state: 'Stable', members: [{ topics: ['retry'] }] }] }),
  });
  admin.committed['retry/0'] = '0';
  const producer = { send: () => Promise.resolve() };
  const { run, consumer, eventsOf } = batched({
    ...{ ordering: 'unordered', admin, batch: { size: 3 } },
    retry: { topics: [{ topic: 'retry', delayMs: 10_000 }], producer },
    work: ({ message: { offset } }, attempt) => {
      if (offset === '11') attempt.fail(new Error('not yet'));
    },
  });
  consumer.join({ orders: [0], retry: [0] });
  const batch = fakeBatch(unkeyed(3));
  run(batch);
  await pass();
  expect(eventsOf('retry-produced')).toMatchObject([{ offset: '11', to: 'retry' }]);
  expect([batch.resolved.at(-1), eventsOf('acknowledged').length]).toEqual(['12', 3]);
});

test('a copy whose original is another message runs once, as itself', async () => {
  const { run, batches, eventsOf } = batched({ batch: { size: 3 } });
  run(fakeBatch([message(10)]));
  await pass();
  const { headers } = retryCopyOf({ topic: 'orders', partition: 0, message: message(10) }, 'workers');
  const forged = { ...message(12, { value: 'other' }), headers };
  const batch = fakeBatch([message(11), forged, message(13)]);
  run(batch);
  await pass();
  expect(batches).toEqual([['10'], ['11', '12', '13']]);
  expect([batch.resolved.at(-1), eventsOf('kept')]).toEqual(['13', []]);
});

describe('behind a message that is kept', () => {
  test.each<[Ordering, runs: string[][], acknowledged: string[]]>([
    ['partition', [['10']], ['10']],
    ['key', [['10'], ['12', '13'], ['15']], ['10', '12', '13', '15']],
    ['unordered', [['10'], ['12', '13'], ['14', '15']], ['10', '12', '13', '14', '15']],
  ])('nothing of its lane runs, in no later batch either, under %s', async (ordering, runs, acknowledged) => {
    const fetched = messages(...KEYS);
    const { store: shared, finish } = await storeWithOthers(...fetched.slice(1, 2));
    const { store, claimed } = watchedStore(shared);
    const { run, batches, eventsOf } = batched({ store, ordering });
    const batch = fakeBatch(fetched);
    run(batch);
    await pass();
    expect(byName(batches)).toEqual(runs);
    expect(
      eventsOf('acknowledged')
        .map(({ offset }) => offset)
        .toSorted(),
    ).toEqual(acknowledged);
    expect(eventsOf('kept')).toMatchObject([{ offset: '11', reason: 'in-flight' }]);
    expect(batch.resolved).toEqual(['10']);
    if (ordering !== 'unordered') expect(claimed).not.toContain('orders-0-14');

    await finish();
    await pass(1_000);
    const again = fakeBatch(fetched.slice(1));
    run(again);
    await pass();
    expect(batches.flat().toSorted()).toEqual(['10', '12', '13', '14', '15']);
    expect([again.resolved.at(-1), eventsOf('replayed').length]).toEqual(['15', 1]);
  });

  test('of the same batch nothing is counted as an attempt', async () => {
    const fetched = unkeyed(3);
    const { store, finish } = await storeWithOthers(...fetched.slice(0, 1));
    const { run, batches, attempts } = batched({ store, batch: { size: 3 } });
    run(fakeBatch(fetched));
    await pass();
    expect(batches).toEqual([]);
    await finish();
    await pass(1_000);
    run(fakeBatch(fetched));
    await pass();
    expect(attempts.map(({ number }) => number)).toEqual([1, 1]);
  });
});

describe('a batch that outlives its fetch', () => {
  test.each<Ordering>(['partition', 'key', 'unordered'])(
    'is joined by the next one, and those behind it wait without a claim, under %s',
    async (ordering) => {
      const { store, claimed } = watchedStore();
      const options = { store, ordering, batch: { size: 3 } };
      const { run, batches, hold, consumer, eventsOf } = batched(options);
      const gates = [10, 11].map(hold);
      const fetched = messages('a', 'b', 'a');
      const first = run(fakeBatch(fetched.slice(0, 2)));
      await pass();
      consumer.join({ orders: [0] });
      await pass();
      expect(first.state).toBe('ended');
      const again = fakeBatch(fetched);
      const second = run(again);
      await pass();
      expect(batches).toEqual(ordering === 'unordered' ? [['10', '11'], ['12']] : [['10', '11']]);
      expect(claimed.includes('orders-0-12')).toBe(ordering === 'unordered');
      for (const { open } of gates) open();
      await pass();
      expect(batches).toEqual([['10', '11'], ['12']]);
      expect([second.state, again.resolved.at(-1), eventsOf('kept')]).toEqual(['ended', '12', []]);
    },
  );

  test('is the last of that fetch', async () => {
    const { run, batches, hold, consumer } = batched();
    consumer.join({ orders: [0, 1] });
    const head = hold(10);
    const first = run(fakeBatch(unkeyed(4)));
    const refused = fakeBatch([message(20)], { partition: 1 });
    refused.does.commit = () => Promise.reject(new Error('no'));
    run(refused);
    // The other partition is due by then.
    await pass(1_000);
    expect(first.state).toBe('ended');
    head.open();
    await pass();
    expect(batches).toEqual([['10', '11']]);
    const again = fakeBatch(unkeyed(4));
    run(again);
    await pass();
    expect([batches.slice(1), again.resolved.at(-1)]).toEqual([[['12', '13']], '13']);
  });

  test('and fails keeps those behind it in the next one', async () => {
    const { run, batches, hold, consumer } = batched({
      work: (_, attempt) => {
        attempt.fail(new Error('not yet'));
      },
    });
    const head = hold(10);
    run(fakeBatch(unkeyed(2)));
    await pass();
    consumer.join({ orders: [0] });
    const again = fakeBatch(unkeyed(3));
    const second = run(again);
    await pass();
    head.open();
    await pass();
    expect([second.state, batches, again.resolved]).toEqual(['ended', [['10', '11']], []]);
  });
});

describe('no batch starts', () => {
  test('beyond concurrency, over all partitions', async () => {
    const { run, batches, hold, consumer } = batched({ ordering: 'unordered', concurrency: 2 });
    consumer.join({ orders: [0, 1] });
    const gates = [10, 12, 20].map(hold);
    const runs = [run(fakeBatch(unkeyed(4))), run(fakeBatch([message(20), message(21)], { partition: 1 }))];
    await pass();
    expect(batches).toEqual([
      ['10', '11'],
      ['12', '13'],
    ]);
    gates[1]?.open();
    await pass();
    expect(batches).toEqual([
      ['10', '11'],
      ['12', '13'],
      ['20', '21'],
    ]);
    for (const { open } of gates) open();
    await pass();
    expect(runs.map(({ state }) => state)).toEqual(['ended', 'ended']);
  });

  test.each<Ordering>(['partition', 'key', 'unordered'])(
    'after a pause by its handler, under %s',
    async (ordering) => {
      const { run, batches, eventsOf } = batched({
        ordering,
        concurrency: 1,
        work: ({ pause }) => pause(),
      });
      const batch = fakeBatch(unkeyed(4));
      run(batch);
      await pass();
      expect([batches, batch.resolved.at(-1), eventsOf('kept')]).toEqual([[['10', '11']], '11', []]);
    },
  );

  test('after the consumer has begun to stop', async () => {
    const { run, batches, hold } = batched({ ordering: 'unordered', concurrency: 1 });
    const head = hold(10);
    const batch = fakeBatch(unkeyed(4));
    run(batch);
    await pass();
    batch.does.isRunning = false;
    head.open();
    await pass(1_000);
    expect([batches, batch.resolved.at(-1)]).toEqual([[['10', '11']], '11']);
  });

  test('that is claimed after a pause: its messages are released, uncounted', async () => {
    const memory = createMemoryStore();
    const answers = gate();
    const store: Store = {
      ...memory,
      async claim(requests, terms) {
        const replies = await memory.claim(requests, terms);
        await answers.opened;
        return replies;
      },
    };
    const { run, batches, consumer, attempts, eventsOf } = batched({ store });
    const batch = fakeBatch(unkeyed(2));
    run(batch);
    await pass();
    consumer.pause([{ topic: 'orders', partitions: [0] }]);
    answers.open();
    await pass();
    expect([batches, batch.resolved, eventsOf('kept')]).toEqual([[], [], []]);
    consumer.resume([{ topic: 'orders', partitions: [0] }]);
    run(fakeBatch(unkeyed(2)));
    await pass();
    expect(batches.flat()).toEqual(['10', '11']);
    expect(attempts.map(({ number }) => number)).toEqual([1, 1]);
  });

  test('while nothing can be claimed', async () => {
    const down = new StoreError('down', { retriable: false });
    const store: Store = { ...createMemoryStore(), claim: () => Promise.reject(down) };
    const { run, batches, eventsOf } = batched({ store, ordering: 'unordered', concurrency: 1 });
    const handled = run(fakeBatch(unkeyed(6)));
    await pass();
    expect([handled.state, batches]).toEqual(['ended', []]);
    expect(eventsOf('kept').map(({ offset, reason }) => [offset, reason])).toEqual([
      ['10', 'store-error'],
      ['11', 'store-error'],
    ]);
  });
});

test('a fetch without messages that are due runs nothing', async () => {
  const { run, batches } = batched();
  const handled = run(fakeBatch([]));
  await pass();
  expect([handled.state, batches]).toEqual(['ended', []]);
});
