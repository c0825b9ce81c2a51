import { describe, expect, test } from 'vitest';
import { gate, unlessAborted } from '../../support/gate.ts';
import { isKafkaJs } from './support/client.ts';
import { leave, numbered, someHeartbeats, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, kafka } = useFixture();

describe('A group that begins at the end of its topic', () => {
  test('loses nothing when a member joins while the first message runs', async () => {
    const group = await setup({ partitions: 2 });
    const finish = gate();
    const started: string[] = [];
    const handler = ({ partition, message }: { partition: number; message: { offset: string } }) => {
      started.push(`${partition}-${message.offset}`);
    };
    const first = await group.start(
      async (delivery, { signal }) => {
        handler(delivery);
        await unlessAborted(finish.opened, signal);
      },
      // Both partitions come with one fetch.
      { fromBeginning: false, config: { minBytes: 10_000, maxWaitTimeInMs: 500 } },
    );
    await someHeartbeats(first);
    // Before anything is settled, both partitions have more than the message in flight.
    await group.produce(...numbered(1, 0), ...numbered(1, 1));
    await until(() => started.length === 2);
    for (const partition of [0, 1]) await group.produce(...numbered(2, partition, 1));
    await group.start(handler, { fromBeginning: false });
    await until(() => group.eventsOf('partition-lost').length === 1);
    finish.open();
    await group.caughtUp();
    expect((await group.records()).map(({ state }) => state)).toEqual(Array<string>(6).fill('succeeded'));
  });

  test('loses nothing that comes to an idle partition while it restarts, with an admin client', async () => {
    const group = await setup({ partitions: 2 });
    const handled: string[] = [];
    const options = { fromBeginning: false, admin: kafka.admin };
    const handler = ({ payload }: { payload: Buffer | null }) => {
      handled.push(String(payload));
    };
    await group.produce(...numbered(3, 0));
    const first = await group.start(handler, options);
    await group.committedTo(3, 0);
    await leave(first);
    await group.produce(...numbered(2, 0, 3), ...numbered(1, 1, 5));
    await group.start(handler, options);
    await group.caughtUp();
    expect(handled.toSorted()).toEqual(['3', '4', '5']);
  });

  test('goes on with the oldest message that is left, when what it has committed is gone', async () => {
    const group = await setup();
    const handled: string[] = [];
    const options = { fromBeginning: false, admin: kafka.admin };
    const handler = ({ payload }: { payload: Buffer | null }) => {
      handled.push(String(payload));
    };
    const first = await group.start(handler, options);
    await group.committedTo(0);
    await group.produce(...numbered(2));
    await group.committedTo(2);
    await leave(first);
    await group.produce(...numbered(5, 0, 2));
    const gone = { topic: group.topic, partitions: [{ partition: 0, offset: '5' }] };
    await kafka.admin.deleteTopicRecords(gone);
    await group.start(handler, options);
    await group.caughtUp();
    expect(handled).toEqual(['0', '1', '5', '6']);
    expect(group.eventsOf('log-changed')).toMatchObject([
      { reason: 'position-moved', expected: '2', found: '5' },
    ]);
  });

  // kafkajs goes to the end first.
  test.skipIf(isKafkaJs).each([['without'], ['with']])(
    'goes on with the oldest message that is left, where retention overtakes it while it runs, %s an admin client',
    async (how) => {
      const group = await setup();
      const handled: string[] = [];
      const finish = gate();
      await group.produce(...numbered(1));
      const member = await group.start(
        async ({ message }) => {
          await finish.opened;
          handled.push(message.offset);
        },
        {
          fromBeginning: false,
          ...(how === 'with' && { admin: kafka.admin }),
          ordering: 'unordered',
          concurrency: 100,
        },
      );
      await group.committedTo(1);
      // More than a worker holds, with what one call of its client brings.
      const batch = Array.from({ length: 80 }, () => ({ partition: 0, value: 'x'.repeat(10_000) }));
      for (let produced = 0; produced < 1_040; produced += batch.length) await group.produce(...batch);
      await someHeartbeats(member, 5);
      expect(handled).toEqual([]);
      const gone = { topic: group.topic, partitions: [{ partition: 0, offset: '1030' }] };
      await kafka.admin.deleteTopicRecords(gone);
      finish.open();
      await group.caughtUp();
      const left = handled.map(Number).filter((offset) => offset >= 1_030);
      expect(left).toHaveLength(1_041 - 1_030);
      expect(group.eventsOf('log-changed')).toMatchObject([{ reason: 'position-moved', found: '1030' }]);
    },
  );

  // Other clients have fetched it before.
  test.runIf(isKafkaJs)(
    'goes on with the oldest message that is left, without another message, where retention overtakes it',
    async () => {
      const group = await setup();
      const handled: number[] = [];
      const member = await group.start(({ message }) => handled.push(Number(message.offset)), {
        fromBeginning: false,
        admin: kafka.admin,
      });
      await group.committedTo(0);
      await group.produce(...numbered(1));
      await group.committedTo(1);
      member.consumer.pause([{ topic: group.topic }]);
      await someHeartbeats(member);
      await group.produce(...numbered(120, 0, 1));
      const gone = { topic: group.topic, partitions: [{ partition: 0, offset: '100' }] };
      await kafka.admin.deleteTopicRecords(gone);
      member.consumer.resume([{ topic: group.topic }]);
      await group.committedTo(121);
      expect(handled).toEqual([0, ...upTo(121).slice(100)]);
      expect(group.eventsOf('log-changed')).toMatchObject([
        { reason: 'position-moved', expected: '1', found: '100' },
      ]);
    },
  );

  test('begins where the user has moved it while its start is looked for', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const handled: string[] = [];
    const looksUp = gate();
    const slow = {
      describeConfigs: (query: never) => kafka.admin.describeConfigs(query),
      fetchTopicOffsets: (topic: string) => kafka.admin.fetchTopicOffsets(topic),
      async fetchOffsets(query: { groupId: string; topics: string[] }) {
        await looksUp.opened;
        return await kafka.admin.fetchOffsets(query);
      },
    };
    const member = await group.start(
      ({ payload }) => {
        handled.push(String(payload));
      },
      { fromBeginning: false, admin: slow },
    );
    member.consumer.seek({ topic: group.topic, partition: 0, offset: '1' });
    looksUp.open();
    await group.caughtUp();
    expect(handled).toEqual(['1', '2']);
  });

  test.runIf(isKafkaJs)('goes on with the same when the client commits nothing by itself', async () => {
    const group = await setup();
    const consumer = kafka.consumer({ groupId: group.groupId });
    await consumer.connect();
    await consumer.subscribe({ topic: group.topic });
    const { onceEachKafkaMessage } = await import('handle-once/kafka');
    const run = onceEachKafkaMessage(
      {
        consumer,
        groupId: group.groupId,
        handleOnce: group.handleOnce,
        onFailed: 'acknowledge',
        fromBeginning: false,
        admin: kafka.admin,
      },
      () => undefined,
    );
    await consumer.run({ ...run, autoCommit: false });
    await group.committedTo(0);
    await group.produce(...numbered(3));
    await group.committedTo(3);
  });

  test('is warned without an admin client, and when its start is not known', async () => {
    const group = await setup();
    await group.start(() => undefined, { fromBeginning: false });
    expect(group.eventsOf('warning')).toMatchObject([{ warning: 'START_NOT_COMMITTED' }]);
    await group.start(() => undefined, { fromBeginning: true });
    expect(group.eventsOf('warning')).toHaveLength(1);
  });
});
