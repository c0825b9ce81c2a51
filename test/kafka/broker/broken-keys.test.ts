import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { numbered, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, kafka } = useFixture();

async function withDeadLetters() {
  const deadLetterTopic = await kafka.createTopic();
  const producer = kafka.kafka.producer();
  await producer.connect();
  return { deadLetterTopic, producer };
}

test('A key function that gives the place where there is no key passes what cannot be read', async () => {
  const group = await setup();
  const schema = z.object({ orderId: z.string().regex(/^[\w-]{1,100}$/), cents: z.int() });
  const order = (orderId: unknown) => JSON.stringify({ orderId, cents: 995 });
  const values = [order('order-1'), null, '{', 'null', order(undefined), order(''), order('order-1')];
  await group.produce(...values.map((value) => ({ value })));
  const handled: string[] = [];
  await group.start(({ payload }) => handled.push(payload.orderId), {
    schema,
    // As docs/kafka.md has it.
    key({ value, offset }, topic, partition) {
      try {
        return schema.parse(JSON.parse(String(value))).orderId;
      } catch {
        return `${topic}-${partition}-${offset}`;
      }
    },
  });
  await group.caughtUp();
  expect(handled).toEqual(['order-1']);
  const places = [1, 2, 3, 4, 5].map((offset) => `${group.topic}-0-${offset}`);
  expect((await group.records()).map(({ key, failed_reason }) => [key, failed_reason])).toEqual([
    ['order-1', null],
    ...places.map((key) => [key, 'invalid-payload']),
  ]);
});

describe('A key function that throws', () => {
  test('for every message stops the consumer, and nothing is dead-lettered', async () => {
    const group = await setup();
    const onFailed = await withDeadLetters();
    await group.produce(...numbered(30));
    const member = await group.start(() => undefined, {
      onFailed,
      key: ({ headers }) => (headers['missing'] as Buffer).toString(),
    });
    // A broker that has just started may first have the client restart: its coordinator is loading.
    const last = () => member.crashes.find(({ restart }) => !restart);
    await until(() => last() !== undefined);
    expect(last()?.error.message).toContain(
      'key: the function found no key for any of the first 20 messages',
    );
    await onFailed.producer.disconnect();
    expect(await kafka.read(onFailed.deadLetterTopic)).toEqual([]);
    expect(await group.committed()).toEqual([0]);
  });

  test('for one message is that message’s fault', async () => {
    const group = await setup();
    const onFailed = await withDeadLetters();
    await group.produce(...numbered(30));
    await group.start(() => undefined, {
      onFailed,
      key: ({ value }) => {
        if (String(value) === '0') throw new Error('no id');
        return String(value);
      },
    });
    await group.caughtUp();
    await onFailed.producer.disconnect();
    expect(await kafka.read(onFailed.deadLetterTopic)).toHaveLength(1);
  });
});
