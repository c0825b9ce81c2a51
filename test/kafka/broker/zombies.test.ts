import { onceEachKafkaMessage } from 'handle-once/kafka';
import { expect, test } from 'vitest';
import { gate } from '../../support/gate.ts';
import { isKafkaJs } from './support/client.ts';
import { numbered, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, kafka } = useFixture();

test.runIf(isKafkaJs)('a consumer that is disconnected while it joins does not come back', async () => {
  const group = await setup();
  await group.produce(...numbered(1));
  const consumer = kafka.consumer({ groupId: group.groupId });
  const crashes: Error[] = [];
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    crashes.push(payload.error);
  });
  await consumer.connect();
  await consumer.subscribe({ topic: group.topic, fromBeginning: true });
  const started: string[] = [];
  const { handleOnce, groupId } = group;
  const run = onceEachKafkaMessage(
    { consumer, groupId, handleOnce, onFailed: 'acknowledge', fromBeginning: true },
    ({ message }) => {
      started.push(message.offset);
    },
  );
  const joining = gate();
  consumer.on(consumer.events.REQUEST, ({ payload }) => {
    if (payload.apiName === 'GroupCoordinator') joining.open();
  });
  const running = consumer.run(run);
  await joining.opened;
  await consumer.disconnect();
  await running;
  // The client comes back by itself, and then stays away.
  await until(() => crashes.some(({ message }) => message.includes('was stopped while it joined')));
  expect(started).toEqual([]);
  expect(await group.committed()).toEqual([-1]);
});

test('a message of a topic that was made again does not take the verdict of the one in flight', async () => {
  const group = await setup();
  const finish = gate();
  await group.produce({ partition: 0, value: 'old' });
  const handled: string[] = [];
  const member = await group.start(
    async ({ payload }) => {
      handled.push(String(payload));
      if (String(payload) === 'old') await finish.opened;
    },
    { drainMs: 0, key: ({ value }) => String(value) },
  );
  await until(() => handled.length === 1);
  await member.consumer.stop();
  await kafka.remakeTopic(group.topic);
  await group.produce({ partition: 0, value: 'new' });
  await member.restart();
  await until(() => handled.length === 2);
  expect(handled).toEqual(['old', 'new']);
  finish.open();
  await group.caughtUp();
});
