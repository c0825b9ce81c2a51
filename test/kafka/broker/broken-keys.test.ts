import { describe, expect, test } from 'vitest';
import { numbered, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, kafka } = useFixture();

async function withDeadLetters() {
  const deadLetterTopic = await kafka.createTopic();
  const producer = kafka.kafka.producer();
  await producer.connect();
  return { deadLetterTopic, producer };
}

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
