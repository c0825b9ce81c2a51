import { RetryableError } from 'handle-once';
import { describe, expect, test } from 'vitest';
import { gate } from '../../support/gate.ts';
import { isKafkaJs } from './support/client.ts';
import { numbered, someHeartbeats, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';
import { seeded } from './support/seeded.ts';

const { kafka, setup } = useFixture();

/** Counts what runs at once, and lets none go before `together` do. */
function meeting(together: number) {
  const met = gate();
  let running = 0;
  let most = 0;
  return {
    met: met.opened,
    most: () => most,
    attend: async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      if (running === together) met.open();
      await met.opened;
      running -= 1;
    },
  };
}

describe('Order', () => {
  test.each(['partition', 'key'] as const)('by %s is kept through failures at random', async (ordering) => {
    const random = seeded(7);
    const group = await setup({ partitions: 2 }, { maxAttempts: Infinity });
    const keys = upTo(6).map((n) => `key-${n}`);
    for (const n of upTo(10)) {
      await group.produce(...keys.map((key, lane) => ({ key, partition: lane % 2, value: String(n) })));
    }
    const started: Record<string, number[]> = {};
    const ended: Record<string, number[]> = {};
    const orderOf = (partition: number, key: string) => (ordering === 'key' ? key : String(partition));
    const member = await group.start(
      async ({ partition, message }) => {
        const name = orderOf(partition, String(message.key));
        const offset = Number(message.offset);
        (started[name] ??= []).push(offset);
        await new Promise(setImmediate);
        if (random() < 0.15) throw new RetryableError('again', { retryAfterMs: 10 });
        (ended[name] ??= []).push(offset);
      },
      { ordering },
    );
    await group.caughtUp();

    const lanes = Object.values(ended);
    expect(lanes).toHaveLength(ordering === 'key' ? 6 : 2);
    expect(lanes.flat()).toHaveLength(60);
    for (const offsets of lanes) expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    // Nor did one start before those ahead of it had ended.
    for (const offsets of Object.values(started)) {
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
    expect(member.counts().kept).toBeGreaterThan(0);
    expect(await group.committed()).toEqual([30, 30]);
  });

  test('by key lets other keys go by, at once, and no more than concurrency', async () => {
    const group = await setup();
    const keys = ['a', 'a', 'b', 'c', 'd', 'e'];
    await group.produce(...keys.map((key, n) => ({ key, value: String(n) })));
    const { attend, most } = meeting(3);
    await group.start(attend, { ordering: 'key', concurrency: 3 });
    await group.caughtUp();
    expect(most()).toBe(3);
    expect(await group.committed()).toEqual([6]);
  });

  test('none: a partition’s messages run at once, and are committed only without a gap', async () => {
    const group = await setup();
    await group.produce(...numbered(8));
    const first = gate();
    const handled: number[] = [];
    const member = await group.start(
      async ({ payload }) => {
        if (String(payload) === '0') await first.opened;
        handled.push(Number(payload));
      },
      { ordering: 'unordered', concurrency: 3 },
    );
    await until(() => handled.length === 7);
    await someHeartbeats(member);
    expect(await group.committed()).toEqual([0]);
    first.open();
    await group.caughtUp();
    expect(await group.committed()).toEqual([8]);
  });

  test('concurrency bounds all partitions together', async () => {
    const group = await setup({ partitions: 4 });
    for (const partition of upTo(4)) await group.produce(...numbered(10, partition));
    const { attend, most } = meeting(5);
    await group.start(attend, { ordering: 'unordered', concurrency: 5 });
    await group.caughtUp();
    expect(most()).toBe(5);
    expect(await group.committed()).toEqual([10, 10, 10, 10]);
  });
});

describe('A stuck message at the head', () => {
  const FETCHED_BYTES = 10_000;
  const MESSAGES = 200;
  /** Confluent's client gathers what fetches have brought, up to a bound of its own. */
  const MOST_AHEAD = isKafkaJs ? (2 * FETCHED_BYTES) / 1_000 : MESSAGES;

  /** Far more than one fetch, in batches of their own: the broker gives whole ones. */
  async function longPartition() {
    const group = await setup(undefined, { maxAttempts: Infinity });
    const padding = 'x'.repeat(1_000);
    for (let from = 0; from < MESSAGES; from += 4) {
      await group.produce(
        ...numbered(4, 0, from).map(({ value }) => ({ key: value as string, value: padding })),
      );
    }
    return group;
  }

  const options = {
    ordering: 'unordered',
    concurrency: 100,
    config: { maxBytesPerPartition: FETCHED_BYTES },
  } as const;

  test('that runs holds the look-ahead to its own fetch', async () => {
    const group = await longPartition();
    const head = gate();
    let highest = 0;
    const member = await group.start(async ({ message }) => {
      if (message.offset === '0') await head.opened;
      highest = Math.max(highest, Number(message.offset));
    }, options);
    await until(() => (member.counts().acknowledged ?? 0) >= 7);
    await someHeartbeats(member, 4);
    expect(highest).toBeLessThan(MOST_AHEAD);
    expect(await group.committed()).toEqual([0]);

    head.open();
    await group.caughtUp();
    expect(group.handleOnce.counts()).toMatchObject({ succeeded: MESSAGES });
    expect(await group.committed()).toEqual([MESSAGES]);
  });

  test('that fails again and again holds it too', async () => {
    const group = await longPartition();
    let highest = 0;
    let failures = 0;
    const highestAtFailure: number[] = [];
    await group.start(({ message }) => {
      if (message.offset === '0' && failures < 8) {
        failures += 1;
        highestAtFailure.push(highest);
        throw new RetryableError('down', { retryAfterMs: 50 });
      }
      highest = Math.max(highest, Number(message.offset));
    }, options);
    await until(() => failures === 8);
    expect(Math.max(...highestAtFailure)).toBeLessThan(MOST_AHEAD);

    await group.caughtUp();
    expect(group.handleOnce.counts()).toMatchObject({ succeeded: MESSAGES });
    expect(await kafka.committed(group.groupId, group.topic)).toEqual([MESSAGES]);
  });
});
