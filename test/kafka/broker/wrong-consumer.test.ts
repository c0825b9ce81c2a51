import { type KafkaEvent, onceEachKafkaMessage } from 'handle-once/kafka';
import type { Consumer } from 'kafkajs';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { isKafkaJs } from './support/client.ts';
import { numbered, useFixture } from './support/fixture.ts';

const { setup, kafka } = useFixture();

/** A consumer of the group that is subscribed, and why it has stopped permanently. */
async function subscribed({ groupId, topic }: { groupId: string; topic: string }) {
  const consumer = kafka.consumer({ groupId });
  const crashes: Error[] = [];
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    // A broker that has just started still loads the group.
    if (!restart) crashes.push(error);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  return { consumer, crashes };
}

const REFUSED = {
  code: 'INVALID_OPTIONS',
  message: expect.stringMatching(/consumer: is not the one that runs this config/) as string,
};

test.runIf(isKafkaJs)('a config that was copied for another consumer stops both, and says so', async () => {
  const [orders, bills] = [await setup(), await setup()];
  const started: string[] = [];
  const events: KafkaEvent[] = [];
  const configOf = (consumer: Consumer) =>
    onceEachKafkaMessage(
      {
        ...{ consumer, groupId: orders.groupId, handleOnce: orders.handleOnce, fromBeginning: true },
        onFailed: 'acknowledge',
        onEvent: (event) => events.push(event),
      },
      ({ topic }) => {
        started.push(topic);
      },
    );
  for (const group of [orders, bills]) await group.produce(...numbered(1));
  const [a, b] = [await subscribed(orders), await subscribed(bills)];
  const forOrders = configOf(a.consumer);
  const forBills = configOf(a.consumer);
  await a.consumer.run(forOrders);
  await b.consumer.run(forBills);

  await until(() => a.crashes.length + b.crashes.length === 2);
  for (const [crash] of [a.crashes, b.crashes])
    expect([crash, crash?.cause]).toContainEqual(expect.objectContaining(REFUSED));
  expect(events).toContainEqual(
    expect.objectContaining({ warning: 'CONSUMER_STOPPED', message: REFUSED.message }),
  );
  expect([forOrders, forBills].map((config) => config.health().live)).toEqual([false, false]);
  expect(started).toEqual([]);
  expect(await orders.committed()).toEqual([-1]);
  expect(await bills.committed()).toEqual([-1]);
});

test.runIf(isKafkaJs)(
  'a config that two consumers of a group run stops the second, and the first has all',
  async () => {
    const group = await setup({ partitions: 2 });
    const done: string[] = [];
    const [a, b] = [await subscribed(group), await subscribed(group)];
    const optionsOf = (consumer: Consumer) => ({
      ...{ consumer, groupId: group.groupId, handleOnce: group.handleOnce, fromBeginning: true },
      onFailed: 'acknowledge' as const,
    });
    const config = onceEachKafkaMessage(optionsOf(a.consumer), ({ message }) => {
      done.push(String(message.value));
    });
    for (const { consumer } of [a, b]) await consumer.run(config);
    expect(() => onceEachKafkaMessage(optionsOf(a.consumer), () => 1)).toThrow(
      /consumer: is already running/,
    );
    // The second has a partition once the group has met with both.
    let sent = 0;
    await until(async () => {
      if (b.crashes.length > 0) return true;
      await group.produce({ value: String(sent), partition: 0 }, { value: String(sent + 1), partition: 1 });
      sent += 2;
      return false;
    });
    await until(() => new Set(done).size === sent);
    expect(a.crashes).toEqual([]);
    for (const crash of b.crashes)
      expect([crash, crash.cause]).toContainEqual(expect.objectContaining(REFUSED));
    expect(b.crashes).toHaveLength(1);
    expect(config.health().live).toBe(false);
  },
);

test.runIf(isKafkaJs)('a consumer that runs a function of its own is refused', async () => {
  const group = await setup();
  const { consumer } = await subscribed(group);
  await consumer.run({ eachMessage: () => Promise.resolve() });
  const options = { consumer, groupId: group.groupId, handleOnce: group.handleOnce, fromBeginning: true };
  expect(() => onceEachKafkaMessage({ ...options, onFailed: 'acknowledge' }, () => 1)).toThrow(
    /consumer: is already running/,
  );
});
