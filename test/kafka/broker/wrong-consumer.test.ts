import { type KafkaEvent, onceEachKafkaMessage } from 'handle-once/kafka';
import type { Consumer } from 'kafkajs';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { isKafkaJs } from './support/client.ts';
import { numbered, useFixture } from './support/fixture.ts';

const { setup, kafka } = useFixture();

/** A consumer of the group that is subscribed, and why it has stopped for good. */
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
