import { RetryableError, TerminalError } from 'handle-once';
import type { KafkaBatchHandler } from 'handle-once/kafka';
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { gate, unlessAborted } from '../../support/gate.ts';
import { expectSoon, until } from '../../support/until.ts';
import {
  leave,
  type Member,
  type MemberOptions,
  numbered,
  type Setup,
  upTo,
  useFixture,
} from './support/fixture.ts';

const { kafka, sql, setup } = useFixture();

beforeAll(async () => {
  await sql`
    create table if not exists batched (
      n bigint generated always as identity, of text not null, place text not null,
      run xid8 not null default pg_current_xact_id())`;
});

type Tx = postgres.TransactionSql;
type InTransaction = KafkaBatchHandler<Buffer | null, [tx: Tx]>;
type Delivered = Parameters<InTransaction>[0];

const placesOf = (deliveries: Delivered): string[] =>
  deliveries.map(({ partition, message: { offset } }) => `${partition}-${offset}`);

interface Run {
  readonly places: readonly string[];
  readonly signal: AbortSignal;
  readonly deliveries: Delivered;
}

type Work = (run: Run) => unknown;

const SIZE = 10;

/** A member whose batch handler writes a row for each message in the transaction, and then does its work. */
async function startBatched(
  group: Setup,
  work: Work = () => undefined,
  options: MemberOptions<undefined, Buffer | null> = {},
): Promise<Member & { readonly runs: string[][] }> {
  const runs: string[][] = [];
  const handler: InTransaction = async (deliveries, attempts, tx) => {
    const places = placesOf(deliveries);
    runs.push(places);
    for (const place of places) await tx`insert into batched (of, place) values (${group.scope}, ${place})`;
    await work({ places, deliveries, signal: (attempts[0] as { signal: AbortSignal }).signal });
  };
  const inTransaction = { inTransaction: true as never, batch: { size: SIZE }, concurrency: 4, ...options };
  return { ...(await group.start(handler as never, inTransaction)), runs };
}

/** What handlers have written and committed, in that order. */
async function effects(group: Setup): Promise<{ readonly place: string; readonly run: string }[]> {
  return await sql`select place, run::text from batched where of = ${group.scope} order by n`;
}

const placesDone = async (group: Setup): Promise<string[]> =>
  (await effects(group)).map(({ place }) => place);

const inPartition = (count: number, partition = 0): string[] => upTo(count).map((n) => `${partition}-${n}`);

describe('Batches of a partition', () => {
  test('are handled in its order, each in one transaction, and committed to its end', async () => {
    const group = await setup();
    await group.produce(...numbered(25));
    const { runs } = await startBatched(group);
    await group.caughtUp();
    const done = await effects(group);
    expect(done.map(({ place }) => place)).toEqual(inPartition(25));
    expect(new Set(done.map(({ run }) => run)).size).toBe(runs.length);
    expect(runs.length).toBeLessThan(10);
    expect(Math.max(...runs.map(({ length }) => length))).toBe(SIZE);
    expect(await group.records()).toMatchObject(Array<object>(25).fill({ state: 'succeeded', attempts: 1 }));
    expect(group.eventsOf('acknowledged')).toHaveLength(25);
  });

  test('are answered from the records after a commit that was lost', async () => {
    const group = await setup();
    await group.produce(...numbered(25));
    const first = await startBatched(group);
    await group.caughtUp();
    await leave(first);
    await group.rewind();
    const again = await startBatched(group);
    await group.caughtUp();
    expect([again.runs, again.counts().replayed]).toEqual([[], 25]);
    expect(await effects(group)).toHaveLength(25);
  });

  test('of two partitions run at once', async () => {
    const group = await setup({ partitions: 2 });
    for (const partition of [0, 1]) await group.produce(...numbered(15, partition));
    const met = gate();
    const running = new Set<string>();
    await startBatched(
      group,
      async ({ places: [place = ''] }) => {
        running.add(place.slice(0, 1));
        if (running.size === 2) met.open();
        await met.opened;
      },
      { concurrency: 2 },
    );
    await group.caughtUp();
    const done = await placesDone(group);
    for (const partition of [0, 1]) {
      expect(done.filter((place) => place.startsWith(`${partition}-`))).toEqual(inPartition(15, partition));
    }
  });
});

describe('One bad message among them', () => {
  /** Throws for the message at an offset until it is repaired. */
  function badAt(offset: number) {
    const state = { isMended: false, throws: 0 };
    const work: Work = ({ places }) => {
      if (state.isMended || !places.includes(`0-${offset}`)) return;
      state.throws += 1;
      throw new RetryableError('bad', { retryAfterMs: 100 });
    };
    return { state, work };
  }

  test('holds what is behind it in its partition, and nothing before it', async () => {
    const group = await setup(undefined, { maxAttempts: Infinity });
    await group.produce(...numbered(20));
    const { state, work } = badAt(4);
    const { runs } = await startBatched(group, work);
    await group.committedTo(4);
    await until(() => state.throws >= 4);
    expect(await placesDone(group)).toEqual(inPartition(4));
    expect(await group.committed()).toEqual([4]);
    expect(runs.flat().filter((place) => Number(place.slice(2)) > 9)).toEqual([]);
    expect(new Set(group.eventsOf('kept').map(({ offset }) => offset))).toEqual(new Set(['4']));
    state.isMended = true;
    await group.caughtUp();
    expect(await placesDone(group)).toEqual(inPartition(20));
    const attempts = (await group.records()).map((record) => record.attempts);
    expect(attempts.filter((count) => count !== 1)).toHaveLength(1);
  });

  test('holds those with its key, and no others', async () => {
    const group = await setup(undefined, { maxAttempts: Infinity });
    await group.produce(...numbered(24).map((one, n) => ({ ...one, key: `key-${n % 3}` })));
    const { state, work } = badAt(4);
    await startBatched(group, work, { ordering: 'key' });
    const ofKey = (rest: number) => inPartition(24).filter((_, n) => n % 3 === rest);
    await expectSoon(async () => {
      expect((await placesDone(group)).length).toBe(17);
    });
    await until(() => state.throws >= 4);
    const before = await placesDone(group);
    expect(before.toSorted()).toEqual([...ofKey(0), '0-1', ...ofKey(2)].toSorted());
    expect(await group.committed()).toEqual([4]);
    state.isMended = true;
    await group.caughtUp();
    const done = await placesDone(group);
    expect(done).toHaveLength(24);
    for (const rest of [0, 1, 2]) {
      const keyed = new Set(ofKey(rest));
      expect(done.filter((place) => keyed.has(place))).toEqual(ofKey(rest));
    }
  });

  test('holds no other where there is no order, and has a dead letter of its own', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    const producer = kafka.kafka.producer();
    await producer.connect();
    await group.produce(...numbered(20));
    const work: Work = ({ places }) => {
      if (places.includes('0-4')) throw new TerminalError('bad');
    };
    await startBatched(group, work, { ordering: 'unordered', onFailed: { deadLetterTopic, producer } });
    await group.caughtUp();
    await producer.disconnect();
    expect((await placesDone(group)).toSorted()).toEqual(
      inPartition(20)
        .filter((place) => place !== '0-4')
        .toSorted(),
    );
    expect((await kafka.read(deadLetterTopic)).map(({ value }) => String(value))).toEqual(['4']);
    expect((await group.records()).filter(({ state }) => state === 'failed')).toMatchObject([
      { key: `${group.topic}-0-4`, failed_reason: 'terminal', attempts: 1 },
    ]);
  });

  test('is retried alone without a transaction, and the others are done', async () => {
    const group = await setup();
    await group.produce(...numbered(5));
    const runs: string[][] = [];
    const handler: KafkaBatchHandler<Buffer | null> = (deliveries, attempts) => {
      runs.push(placesOf(deliveries));
      const [first] = attempts;
      attempts.forEach((attempt, n) => {
        const isBad = String(deliveries[n]?.payload) === '2' && first?.number === 1;
        if (isBad) attempt.fail(new Error('bad'));
      });
    };
    // All of them are in the first fetch.
    await group.start(handler as never, { batch: { size: SIZE }, ordering: 'unordered' });
    await group.caughtUp();
    expect(runs.flat().toSorted()).toEqual([...inPartition(5), '0-2'].toSorted());
    expect(runs.at(-1)).toEqual(['0-2']);
    expect((await group.records()).map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
  });
});

test('A handler that always throws fails each message for good, and leaves nothing', async () => {
  const group = await setup(undefined, { maxAttempts: 2 });
  await group.produce(...numbered(6));
  await startBatched(group, () => {
    throw new Error('never');
  });
  await group.caughtUp();
  expect(await effects(group)).toEqual([]);
  expect(await group.records()).toMatchObject(
    Array<object>(6).fill({ state: 'failed', failed_reason: 'attempts-exhausted', attempts: 2 }),
  );
});

describe('In the middle of a batch', () => {
  test('a stop aborts it: its transaction is rolled back, no attempt is counted, and the next member runs it', async () => {
    const group = await setup(undefined, { maxAttempts: 1 });
    await group.produce(...numbered(15));
    const never = gate();
    const running = gate();
    const first = await startBatched(
      group,
      async ({ signal }) => {
        running.open();
        await unlessAborted(never.opened, signal);
      },
      { drainMs: 100 },
    );
    await running.opened;
    await leave(first);
    expect(first.runs).toHaveLength(1);
    expect(await effects(group)).toEqual([]);
    expect(new Set((await group.records()).map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['pending 0']),
    );
    await startBatched(group);
    await group.caughtUp();
    expect(await placesDone(group)).toEqual(inPartition(15));
  });

  test('a stop waits for it, commits all of it, and starts no other', async () => {
    const group = await setup();
    await group.produce(...numbered(15));
    const [running, finish] = [gate(), gate()];
    const first = await startBatched(
      group,
      async () => {
        running.open();
        await finish.opened;
      },
      { drainMs: 20_000 },
    );
    await running.opened;
    const left = leave(first);
    finish.open();
    await left;
    expect(first.runs).toHaveLength(1);
    const done = await placesDone(group);
    expect(done).toEqual(first.runs.flat());
    expect(await group.committed()).toEqual([done.length]);
  });

  test('a rebalance aborts that of the partition that goes, and lets the other go on', async () => {
    const group = await setup({ partitions: 2 }, { maxAttempts: 1, timeoutMs: 30_000 });
    for (const partition of [0, 1]) await group.produce(...numbered(SIZE, partition));
    const finish = gate();
    const first = await startBatched(group, ({ signal }) => unlessAborted(finish.opened, signal));
    await until(() => first.runs.length === 2);
    const second = await startBatched(group);
    await until(() => first.joins.length === 2 && second.joins.length >= 1);
    const lost = second.joins.at(-1)?.[group.topic]?.[0] ?? -1;
    await expectSoon(async () => {
      expect(await placesDone(group)).toEqual(inPartition(SIZE, lost));
    });
    finish.open();
    await group.caughtUp();
    expect((await placesDone(group)).toSorted()).toEqual([...inPartition(SIZE, 0), ...inPartition(SIZE, 1)]);
    expect(first.runs).toHaveLength(2);
    expect(second.runs.flat()).toEqual(inPartition(SIZE, lost));
    // What was fetched again while it ran waited for it, and was not claimed.
    expect(group.eventsOf('kept').filter(({ partition }) => partition !== lost)).toEqual([]);
    expect((await group.records()).map(({ attempts }) => attempts)).toEqual(Array<number>(20).fill(1));
  });

  test('members that come and go lose nothing, and commit each message once', async () => {
    const group = await setup({ partitions: 4 });
    for (const partition of upTo(4)) await group.produce(...numbered(150, partition));
    const work = () => new Promise((resolve) => setTimeout(resolve, 20));
    const first = await startBatched(group, work);
    await until(() => first.runs.length >= 8);
    const second = await startBatched(group, work);
    await until(() => second.runs.length >= 2);
    await leave(first);
    await startBatched(group, work);
    await group.caughtUp();
    const done = await placesDone(group);
    expect(done).toHaveLength(600);
    for (const partition of upTo(4)) {
      expect(done.filter((place) => place.startsWith(`${partition}-`))).toEqual(inPartition(150, partition));
    }
  });
});
