import { describe, expect, test, vi } from 'vitest';
import { useKillableKafka } from '../../support/killable-kafka.ts';
import { mavenIsInstalled } from '../../support/services/maven-libraries.ts';
import { isConfluent, isKafkaJs } from './support/client.ts';
import { leave, numbered, upTo, useFixture } from './support/fixture.ts';
import { gate } from '../../support/gate.ts';
import { expectSoon, until } from '../../support/until.ts';

/** The client's own wait grows to seconds, and then it crashes and waits again. */
const config = { retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 10 } };

describe.runIf(await mavenIsInstalled())('When the broker is killed', { timeout: 120_000 }, () => {
  const broker = useKillableKafka();
  const { setup } = useFixture(broker);

  /** Two partitions whose messages run when the broker is killed, and that get more once it is back. */
  async function startBusy() {
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
    return { group, runs };
  }

  /** Its second message runs until `end`. */
  async function startSlow(end: Promise<void>) {
    const group = await setup(undefined, { leaseMs: 5_000 });
    await group.produce(...numbered(3));
    const runs: string[] = [];
    await group.start(
      async ({ payload }) => {
        runs.push(String(payload));
        if (String(payload) === '1') await end;
      },
      { config },
    );
    await until(() => runs.length === 2);
    return { group, runs };
  }

  /** Its one message runs until `end`, and it does not crash, restart and fetch that again. */
  async function startPatient(end: Promise<void>) {
    const group = await setup();
    await group.produce(...numbered(1));
    const handler = vi.fn(() => end);
    const member = await group.start(handler, { config: { retry: { ...config.retry, retries: 1_000 } } });
    await until(() => handler.mock.calls.length === 1);
    return { group, handler, member };
  }

  async function startFinal() {
    const group = await setup();
    const member = await group.start(() => undefined, {
      config: {
        retry: { retries: 0, initialRetryTime: 50, restartOnFailure: () => Promise.resolve(false) },
      },
    });
    return { group, member };
  }

  test('and starts again, consumers go on by themselves: each message runs once, and is committed', async () => {
    const [down, back] = [gate(), gate()];
    const final = isKafkaJs ? await startFinal() : undefined;
    const slow = await startSlow(back.opened);
    const patient = await startPatient(down.opened);
    const busy = await startBusy();
    await broker.kill();
    const whenKilled = busy.runs.length;
    down.open();
    await until(() => patient.group.eventsOf('acknowledged').length === 1);
    if (final !== undefined) await until(() => final.group.eventsOf('warning').length > 0);
    await broker.restart();
    back.open();
    for (const partition of [0, 1])
      await expectSoon(() => busy.group.produce(...numbered(20, partition, 100)));
    for (const { group } of [busy, slow, patient]) await group.caughtUp();

    expect(whenKilled).toBeLessThan(240);
    expect(busy.runs).toHaveLength(240);
    expect(new Set(busy.runs)).toEqual(new Set([0, 1].flatMap((p) => upTo(120).map((n) => `${p}-${n}`))));
    expect(await busy.group.committed()).toEqual([120, 120]);

    expect(slow.runs, 'a handler that ran meanwhile').toEqual(['0', '1', '2']);
    expect(await slow.group.committed()).toEqual([3]);

    expect(patient.handler, 'what settled meanwhile needs no other message').toHaveBeenCalledTimes(1);
    expect(patient.member.crashes).toEqual([]);
    expect(await patient.group.committed()).toEqual([1]);

    if (final === undefined) return;
    expect(final.member.crashes[0]?.restart, 'one that may not restart').toBe(false);
    expect(final.group.eventsOf('warning')).toMatchObject([
      {
        warning: 'CONSUMER_STOPPED',
        message: expect.stringContaining(
          `the consumer of group ${final.group.groupId} has stopped`,
        ) as unknown,
      },
    ]);
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
});
