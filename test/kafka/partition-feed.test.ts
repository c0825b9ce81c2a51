import { expect, test, vi } from 'vitest';
import { type FeedClient, PartitionFeed } from '../../adapters/kafka/client/partition-feed.ts';
import type { Fetch } from '../../adapters/kafka/log/log-client.ts';
import { systemClock } from '../../src/adapter-kit.ts';
import { gate } from '../support/gate.ts';
import { message } from './support/messages.ts';

/** A feed whose fetches do what `handle` does; by default all of a fetch is acknowledged. */
function feedOf(
  handle: (fetch: Fetch) => Promise<void> | void = (fetch) => {
    fetch.advance(fetch.to);
  },
) {
  const fetches: Fetch[] = [];
  const passed: bigint[] = [];
  const held: boolean[] = [];
  const ends: unknown[] = [];
  const state = { isPaused: false, oldest: 0n, end: undefined as bigint | undefined };
  const client: FeedClient = {
    isRunning: true,
    commit: () => Promise.resolve(),
    heartbeat: () => Promise.resolve(),
    setFull: (_, isFull) => held.push(isFull),
    edgesOf: () => state,
    crash: (error) => ends.push(error),
  };
  const feed = new PartitionFeed({ topic: 'orders', partition: 0 }, client, {
    clock: systemClock,
    listener: { passedOver: (_, position) => passed.push(position) },
    pauses: { isPaused: () => state.isPaused },
    handle: async (fetch) => {
      fetches.push(fetch);
      await handle(fetch);
    },
  });
  const offsets = () => fetches.map(({ messages }) => messages.map(({ offset }) => Number(offset)));
  return { feed, fetches, offsets, passed, held, ends, state };
}

function receive(feed: PartitionFeed, ...offsets: number[]): void {
  for (const offset of offsets) feed.receive(message(offset));
}

test('hands over what has come, and then what has come meanwhile', async () => {
  const hold = gate();
  const { feed, offsets, fetches } = feedOf(async (fetch) => {
    await hold.opened;
    fetch.advance(fetch.to);
  });
  receive(feed, 3, 5);
  feed.drain();
  receive(feed, 6);
  feed.drain();
  expect(offsets()).toEqual([[3, 5]]);
  hold.open();
  await vi.waitUntil(() => fetches.length === 2);
  expect(offsets()).toEqual([[3, 5], [6]]);
  expect(fetches.map(({ from, to }) => [from, to])).toEqual([
    [3n, 6n],
    [6n, 7n],
  ]);
});

test('hands over again what a fetch leaves, once its pause is over', async () => {
  const { feed, offsets, fetches, state } = feedOf((fetch) => {
    if (fetches.length > 1) return;
    fetch.advance(1n);
    state.isPaused = true;
  });
  receive(feed, 0, 1, 2);
  feed.drain();
  await vi.waitUntil(() => state.isPaused);
  receive(feed, 3);
  feed.drain();
  expect(offsets()).toEqual([[0, 1, 2]]);
  state.isPaused = false;
  feed.drain();
  await vi.waitUntil(() => fetches.length > 1);
  expect(offsets().at(1)).toEqual([1, 2, 3]);
  await feed.ended();
});

test('tells where it has come to, behind records that are not delivered', async () => {
  const { feed, passed, fetches, state } = feedOf();
  feed.reachEnd(4n);
  expect(passed).toEqual([4n]);
  receive(feed, 4);
  feed.reachEnd(7n);
  await vi.waitUntil(() => fetches.length === 1);
  expect(fetches[0]).toMatchObject({ from: 4n, to: 7n });
  feed.reachEnd(7n);
  state.isPaused = true;
  feed.reachEnd(9n);
  // Where a paused one begins may not be known yet.
  expect(passed).toEqual([4n]);
  state.isPaused = false;
  feed.drain();
  await vi.waitUntil(() => passed.length === 2);
  expect(passed).toEqual([4n, 9n]);
});

test('an end that is reported late takes nothing back', async () => {
  const { feed, offsets, fetches } = feedOf();
  receive(feed, 0, 1, 2);
  feed.reachEnd(1n);
  await vi.waitUntil(() => fetches.length > 0);
  expect([offsets(), fetches[0]?.isStale(), fetches[0]?.isRunning()]).toEqual([[[0, 1, 2]], false, true]);
  await feed.ended();
});

test('a paused partition reports nothing and hands over nothing', () => {
  const { feed, passed, fetches, state } = feedOf();
  state.isPaused = true;
  feed.reachEnd(9n);
  expect(passed).toEqual([]);
  state.isPaused = false;
  feed.drain();
  expect(passed).toEqual([9n]);
  state.isPaused = true;
  receive(feed, 9);
  feed.drain();
  expect(fetches).toEqual([]);
});

test('lets the client send nothing more when it is full, until it is low', async () => {
  const { feed, held, fetches } = feedOf((fetch) => {
    fetch.advance(BigInt(fetch.messages.length - 250));
  });
  receive(feed, ...Array.from({ length: 999 }, (_, n) => n));
  expect(held).toEqual([]);
  receive(feed, 999);
  expect(held).toEqual([true]);
  feed.drain();
  await vi.waitUntil(() => held.length === 2);
  expect(held).toEqual([true, false]);
  expect(fetches[0]?.messages).toHaveLength(1_000);
  await feed.ended();
});

test('counts bytes too', async () => {
  const { feed, held } = feedOf();
  feed.receive(message(0, { value: 'x'.repeat(4_194_304) }));
  expect(held).toEqual([true]);
  feed.drain();
  await vi.waitUntil(() => held.length === 2);
  expect(held).toEqual([true, false]);
});

test('a move lets the client send again, and takes in nothing until it has moved', () => {
  const { feed, fetches, held, passed } = feedOf();
  feed.receive(message(0, { value: 'x'.repeat(4_194_304) }));
  feed.move(1n);
  expect(held).toEqual([true, false]);
  receive(feed, 7);
  feed.reachEnd(9n);
  feed.moved();
  feed.drain();
  expect([fetches, passed]).toEqual([[], []]);
});

test.each<[string, string | string[]]>([
  ['a header', 'x'.repeat(4_194_304)],
  ['headers of one name', ['x'.repeat(2_097_152), 'x'.repeat(2_097_152)]],
])('counts the bytes of %s', (_, trace) => {
  const { feed, held } = feedOf();
  feed.receive({ ...message(0), headers: { trace } });
  expect(held).toEqual([true]);
});

test('a move makes what is in flight void, and nothing old is taken in after it', async () => {
  const hold = gate();
  const { feed, offsets, fetches } = feedOf(async (fetch) => {
    await hold.opened;
    fetch.advance(fetch.to);
  });
  receive(feed, 5, 6);
  feed.drain();
  feed.move(1n);
  expect(fetches[0]?.isStale()).toBe(true);
  receive(feed, 7);
  hold.open();
  feed.moved();
  receive(feed, 1, 2);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 2);
  expect(offsets()).toEqual([
    [5, 6],
    [1, 2],
  ]);
  expect(fetches[1]).toMatchObject({ from: 1n, to: 3n });
});

test('an offset that goes back is of another log', async () => {
  const { feed, offsets, fetches } = feedOf();
  receive(feed, 5, 6, 0);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 1);
  expect(offsets()).toEqual([[0]]);
  expect(fetches[0]?.from).toBe(0n);
});

test('ends with what a fetch has thrown, and hands over nothing more', async () => {
  const broken = new Error('broken');
  const { feed, ends, fetches } = feedOf(() => {
    throw broken;
  });
  receive(feed, 0);
  feed.drain();
  await vi.waitUntil(() => ends.length === 1);
  receive(feed, 1);
  feed.drain();
  expect(ends).toEqual([broken]);
  expect(fetches).toHaveLength(1);
});

test('its end is the end of the fetch that runs', async () => {
  const hold = gate();
  const { feed, fetches } = feedOf(() => hold.opened);
  receive(feed, 0);
  feed.drain();
  let hasEnded = false;
  const ended = feed.ended().then(() => (hasEnded = true));
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  hold.open();
  await ended;
  expect(fetches).toHaveLength(1);
});

test('the end of the partition is what the client knows, or else how far it has come', async () => {
  const { feed, fetches, state } = feedOf();
  receive(feed, 0);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 1);
  state.end = 9n;
  receive(feed, 1);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 2);
  state.end = undefined;
  receive(feed, 2);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 3);
  expect(fetches.map(({ end }) => end)).toEqual([1n, 9n, 9n]);
});

test('what retention has deleted is passed after what has come, and seen in where the next fetch begins', async () => {
  const hold = gate();
  const { feed, fetches, offsets, passed, state } = feedOf(async (fetch) => {
    await hold.opened;
    fetch.advance(fetch.to);
  });
  receive(feed, 0, 1);
  feed.drain();
  state.oldest = 6n;
  receive(feed, 8, 10);
  hold.open();
  await vi.waitUntil(() => fetches.length === 2);
  expect(offsets()).toEqual([
    [0, 1],
    [8, 10],
  ]);
  expect(fetches[0]).toMatchObject({ from: 0n, to: 2n });
  expect(fetches[1]).toMatchObject({ from: 8n, to: 11n });
  expect(passed).toEqual([]);
  await feed.ended();
});

test('what retention has deleted is passed once all before it is handled', async () => {
  const { feed, fetches, offsets, state } = feedOf((fetch) => {
    fetch.advance(fetches.length === 1 ? 1n : fetch.to);
  });
  receive(feed, 0, 1);
  state.oldest = 6n;
  receive(feed, 8, 10);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 3);
  expect(offsets()).toEqual([[0, 1], [1], [8, 10]]);
  expect(fetches.map(({ from, to }) => [from, to])).toEqual([
    [0n, 2n],
    [1n, 2n],
    [8n, 11n],
  ]);
  await feed.ended();
});

test('what retention has deleted is passed where nothing is left too', async () => {
  const { feed, fetches, state } = feedOf();
  receive(feed, 0);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 1);
  state.oldest = 8n;
  feed.reachEnd(8n);
  receive(feed, 8);
  feed.drain();
  await vi.waitUntil(() => fetches.length === 2);
  expect(fetches[1]).toMatchObject({ from: 8n, to: 9n });
  await feed.ended();
});
