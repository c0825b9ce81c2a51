import { describe, expect, test } from 'vitest';
import { gate, unlessAborted } from '../../support/gate.ts';
import { until } from '../../support/until.ts';
import { leave, numbered, type Setup, upTo, useFixture } from './support/fixture.ts';
import { tellMissingClients, USABLE_CLIENTS } from './support/members/installed-clients.ts';

tellMissingClients();

const { kafka, setup } = useFixture();
const OTHERS = USABLE_CLIENTS.filter((client) => client !== 'kafkajs');
const MOVES = USABLE_CLIENTS.flatMap((from) =>
  USABLE_CLIENTS.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe.runIf(OTHERS.length > 0)('A group that is stopped in mid-work', () => {
  test.each(MOVES)(
    'of %s goes on with %s: nothing is lost, and nothing is handled again',
    async (from, to) => {
      const group = await setup({ partitions: 3 });
      for (const partition of upTo(3)) await group.produce(...numbered(200, partition));
      const never = gate();
      const finished: string[] = [];
      const interrupted: string[] = [];
      const handler = async (
        { partition, message }: { partition: number; message: { offset: string } },
        { signal }: { signal: AbortSignal },
      ): Promise<void> => {
        const place = `${partition}-${message.offset}`;
        // One that never ends holds up the rest of its key alone, and is interrupted by the stop.
        if (place === '1-90' && interrupted.length === 0) {
          interrupted.push(place);
          await unlessAborted(never.opened, signal);
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
        finished.push(place);
      };
      const options = { ordering: 'unordered', concurrency: 10 } as const;
      const members = await Promise.all(
        upTo(2).map(() => group.start(handler, { ...options, client: from, drainMs: 200 })),
      );
      await until(() => interrupted.length === 1 && finished.length >= 250);
      await Promise.all(members.map(leave));
      const before = finished.length;
      expect(before).toBeLessThan(600);
      await group.start(handler, { ...options, client: to });
      await group.caughtUp();

      expect(finished).toHaveLength(600);
      expect(new Set(finished).size).toBe(600);
      expect(await group.committed()).toEqual([200, 200, 200]);
      expect((await group.records()).filter(({ state }) => state !== 'succeeded')).toEqual([]);
      // The interrupted one counts no attempt.
      expect((await group.records()).filter(({ attempts }) => attempts !== 1)).toEqual([]);
    },
  );

  test.each(OTHERS)(
    'does not mix: a member of %s is refused while one of kafkajs is there',
    async (other) => {
      const group = await setup();
      await group.produce(...numbered(1));
      const first = await group.start(() => undefined, { client: 'kafkajs' });
      await group.caughtUp();
      const joining = group.start(() => undefined, { client: other });
      await until(() =>
        group.eventsOf('client-error').some(({ error }) =>
          String((error as Error | undefined)?.message)
            .toLowerCase()
            .includes('protocol'),
        ),
      );
      await leave(first);
      await joining;
    },
  );
});

describe('A group that committed by hand', () => {
  /** A plain consumer that does ten messages, and commits by hand behind the last one, or the offset of it. */
  async function doTen(group: Setup, commits: 'the next' | 'the last'): Promise<void> {
    const consumer = kafka.consumer({ groupId: group.groupId });
    const done = gate();
    await consumer.connect();
    await consumer.subscribe({ topic: group.topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      async eachMessage({ topic, partition, message }) {
        const at = Number(message.offset);
        if (at >= 10) return;
        const offset = String(commits === 'the next' ? at + 1 : at);
        await consumer.commitOffsets([{ topic, partition, offset }]);
        if (at === 9) done.open();
      },
    });
    await done.opened;
    await consumer.disconnect();
  }

  test.each([
    ['the next', 'as it is'],
    ['the last', 'corrected'],
  ] as const)(
    'the offset of %s message goes on behind what it has done, with its position %s',
    async (commits, how) => {
      const group = await setup();
      await group.produce(...numbered(20));
      await doTen(group, commits);
      if (how === 'corrected') {
        expect(await group.committed()).toEqual([9]);
        const position = { partition: 0, offset: '10' };
        await kafka.admin.setOffsets({ groupId: group.groupId, topic: group.topic, partitions: [position] });
      }
      const handled: string[] = [];
      await group.start(({ payload }) => handled.push(String(payload)));
      await group.caughtUp();
      expect(handled).toEqual(upTo(20).slice(10).map(String));
    },
  );
});
