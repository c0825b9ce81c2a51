import { RetryableError, TerminalError } from 'handle-once';
import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { numbered, useFixture } from './support/fixture.ts';

const { setup, kafka } = useFixture();

describe('What is settled ahead of a message that is tried again and again', () => {
  /** Fails the first message a few times, and all others permanently. */
  const failing = (times: number) => {
    let tries = 0;
    return ({ message }: { message: { offset: string } }) => {
      if (message.offset !== '0') throw new TerminalError('no');
      tries += 1;
      if (tries <= times) throw new RetryableError('not yet', { retryAfterMs: 20 });
    };
  };

  test.each(['key', 'unordered'] as const)('is dead-lettered once, under %s', async (ordering) => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    const producer = kafka.kafka.producer();
    await producer.connect();
    const messages = numbered(21).map((message, index) => ({ ...message, key: String(index) }));
    await group.produce(...messages);
    await group.start(failing(7), { ordering, onFailed: { deadLetterTopic, producer } });
    await group.caughtUp();
    // Its event comes when the reply to the commit has arrived.
    await until(() => group.eventsOf('acknowledged').length === 21);
    await producer.disconnect();
    expect(await kafka.read(deadLetterTopic)).toHaveLength(20);
    expect(group.eventsOf('replayed')).toEqual([]);
    // On a slow machine a statement can be late besides.
    expect(group.handleOnce.counts()).toMatchObject({ claimed: 28, released: 7, failed: 20, succeeded: 1 });
  });

  test('has a dead letter with an id that a second copy would have too', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    const producer = kafka.kafka.producer();
    await producer.connect();
    await group.produce(...numbered(2));
    const options = { onFailed: { deadLetterTopic, producer } };
    const member = await group.start(failing(0), options);
    await group.caughtUp();
    await member.consumer.disconnect();
    await group.rewind();
    await group.start(failing(0), options);
    await group.caughtUp();
    await producer.disconnect();
    const ids = (await kafka.read(deadLetterTopic)).map(({ headers }) => String(headers?.['handle-once-id']));
    expect(ids).toHaveLength(2);
    expect(ids[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  test('is looked up once, with thousands of messages', async () => {
    const group = await setup();
    const count = 4_000;
    for (let from = 0; from < count; from += 1_000) await group.produce(...numbered(1_000, 0, from));
    let tries = 0;
    await group.start(
      ({ message }) => {
        if (message.offset === '0' && (tries += 1) <= 9) throw new RetryableError('no', { retryAfterMs: 1 });
      },
      { ordering: 'unordered', concurrency: 100 },
    );
    await group.caughtUp();
    expect(group.handleOnce.counts()).toMatchObject({ claimed: count + 9, released: 9, succeeded: count });
  });
});
