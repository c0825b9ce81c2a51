import { describe, expect, test, vi } from 'vitest';
import { useKillableKafka } from '../../support/killable-kafka.ts';
import { mavenIsInstalled } from '../../support/services/maven-libraries.ts';
import { isConfluent, isKafkaJs } from './support/client.ts';
import { leave, numbered, upTo, useFixture } from './support/fixture.ts';
import { expectSoon, until } from '../../support/until.ts';

/** The client's own wait grows to seconds, and then it crashes and waits again. */
const config = { retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 10 } };

describe.runIf(await mavenIsInstalled())('When the broker is killed', { timeout: 60_000 }, () => {
  const broker = useKillableKafka();
  const { setup } = useFixture(broker);

  test('and starts again, the consumer goes on by itself, each message runs once', async () => {
    const group = await setup({ partitions: 2 }, { leaseMs: 5_000 });
    for (const partition of [0, 1]) await group.produce(...numbered(100, partition));
    const runs: string[] = [];
    await group.start(
      async ({ partition, message }) => {
        runs.push(`${partition}-${message.offset}`);
        await new Promise((resolve) => setTimeout(resolve, 3));
      },
      { config },
    );
    await until(() => runs.length >= 60);
    await broker.kill();
    const whenKilled = runs.length;
    await broker.restart();
    for (const partition of [0, 1]) await expectSoon(() => group.produce(...numbered(20, partition, 100)));
    await group.caughtUp();

    expect(whenKilled).toBeLessThan(240);
    expect(runs).toHaveLength(240);
    expect(new Set(runs).size).toBe(240);
    expect(new Set(runs)).toEqual(new Set([0, 1].flatMap((p) => upTo(120).map((n) => `${p}-${n}`))));
    expect(await group.committed()).toEqual([120, 120]);
  });

  test('a handler that runs meanwhile runs once', async () => {
    const group = await setup(undefined, { leaseMs: 5_000 });
    await group.produce(...numbered(3));
    const runs: string[] = [];
    await group.start(
      async ({ payload }) => {
        runs.push(String(payload));
        if (String(payload) !== '1') return;
        await broker.kill();
        await broker.restart();
      },
      { config },
    );
    await group.caughtUp();
    expect(runs).toEqual(['0', '1', '2']);
    expect(await group.committed()).toEqual([3]);
  });

  test('what settles meanwhile is committed afterwards, without another message', async () => {
    const group = await setup();
    await group.produce(...numbered(1));
    const handler = vi.fn(() => broker.kill());
    // So that it does not crash, restart and fetch the message again.
    const patient = { retry: { ...config.retry, retries: 1_000 } };
    const member = await group.start(handler, { config: patient });
    await until(() => group.eventsOf('acknowledged').length === 1);
    await broker.restart();
    await group.caughtUp();
    expect(handler).toHaveBeenCalledTimes(1);
    expect(member.crashes).toEqual([]);
    expect(await group.committed()).toEqual([1]);
  });

  // Its commits wait for a broker, for longer than the test.
  test.runIf(isConfluent)('a consumer stops all the same', async () => {
    const group = await setup();
    await group.produce(...numbered(1));
    const member = await group.start(() => broker.kill(), { config: { sessionTimeout: 45_000 } });
    await until(() => group.eventsOf('acknowledged').length === 1);
    await leave(member);
    await broker.restart();
    await group.start(() => undefined);
    await group.caughtUp();
    expect((await group.records()).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['succeeded', 1],
    ]);
  });

  test.runIf(isKafkaJs)(
    'a consumer that is told not to restart is warned of when it stops for good',
    async () => {
      const group = await setup();
      const member = await group.start(() => undefined, {
        config: {
          retry: { retries: 0, initialRetryTime: 50, restartOnFailure: () => Promise.resolve(false) },
        },
      });
      await broker.kill();
      await until(() => member.crashes.length > 0);
      expect(member.crashes[0]?.restart).toBe(false);
      await until(() => group.eventsOf('warning').length > 0);
      expect(group.eventsOf('warning')).toMatchObject([
        {
          warning: 'CONSUMER_STOPPED',
          message: expect.stringContaining(`the consumer of group ${group.groupId} has stopped`) as unknown,
        },
      ]);
      await broker.restart();
    },
  );
});
