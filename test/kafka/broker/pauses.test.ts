import { RetryableError } from 'handle-once';
import { describe, expect, test } from 'vitest';
import { isKafkaJs } from './support/client.ts';
import { type Member, numbered, someHeartbeats, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup } = useFixture();
/** Confluent's client commits where an idle partition ends, once it has come there. */
const IDLE = isKafkaJs ? -1 : 0;

function pausedOf({ consumer }: Member): number[] {
  return consumer.paused().flatMap(({ partitions }) => partitions);
}

describe('A pause', () => {
  test("of ours ends when it is time, after a handler's own that the operator has ended", async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const tries: string[] = [];
    const member = await group.start(({ message, pause }) => {
      tries.push(message.offset);
      if (tries.length === 1) pause();
      if (tries.length === 2) throw new RetryableError('not yet', { retryAfterMs: 50 });
    });
    await until(() => pausedOf(member).length === 1 && tries.length === 1);
    member.consumer.resume([{ topic: group.topic }]);
    await group.caughtUp();
    expect(tries).toEqual(['0', '1', '1', '2']);
    expect(pausedOf(member)).toEqual([]);
  });

  test("of the user's is never lifted by us", async () => {
    const group = await setup({ partitions: 2 });
    await group.produce(...numbered(2));
    let tries = 0;
    const member = await group.start(() => {
      tries += 1;
      if (tries === 1) throw new RetryableError('not yet', { retryAfterMs: 500 });
    });
    await until(() => group.eventsOf('partition-paused').length === 1);
    member.consumer.pause([{ topic: group.topic }]);
    await someHeartbeats(member, 4);
    expect([tries, pausedOf(member)]).toEqual([1, [0, 1]]);
    member.consumer.resume([{ topic: group.topic, partitions: [0] }]);
    await group.committedTo(2, IDLE);
    expect(pausedOf(member)).toEqual([1]);
  });

  test('of neither is left after a stop', async () => {
    const group = await setup();
    await group.produce(...numbered(2));
    let isUp = false;
    const member = await group.start(({ pause }) => {
      pause();
      if (!isUp) throw new RetryableError('down', { retryAfterMs: 3_600_000 });
    });
    await until(() => group.eventsOf('partition-paused').length === 1);
    await member.consumer.disconnect();
    isUp = true;
    await member.restart();
    await until(() => group.eventsOf('kept').length >= 2);
    expect(group.eventsOf('kept').at(-1)).toMatchObject({ offset: '0', reason: 'released' });
  });
});
