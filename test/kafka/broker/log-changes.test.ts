import { RetryableError } from 'handle-once';
import { describe, expect, test } from 'vitest';
import { isKafkaJs, isPlatformatic } from './support/client.ts';
import { numbered, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, kafka } = useFixture();

describe('A log that is not the one that was read', () => {
  test.runIf(isKafkaJs)('is told of when it ends before where it ended', async () => {
    const group = await setup();
    await group.produce(...numbered(5));
    const handled: string[] = [];
    await group.start(
      ({ payload }) => {
        const value = String(payload);
        handled.push(value);
        if (value === '2') throw new RetryableError('not yet', { retryAfterMs: 2_000 });
      },
      { key: ({ value }) => String(value) },
    );
    await until(() => group.eventsOf('partition-paused').length === 1);
    await kafka.remakeTopic(group.topic);
    await group.produce(...numbered(4, 0, 10));
    await until(() => group.eventsOf('log-changed').length > 0);
    expect(group.eventsOf('log-changed')[0]).toMatchObject({
      reason: 'end-went-back',
      expected: '5',
      found: '4',
    });
    // What stands before the old position is skipped: nothing but the event says so.
    await until(() => handled.includes('13'));
    expect(handled).toEqual(['0', '1', '2', '12', '13']);
  });

  test.runIf(isPlatformatic)('is read from its oldest message when its topic was made again', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const handled: string[] = [];
    await group.start(({ payload }) => handled.push(String(payload)), { key: ({ value }) => String(value) });
    await group.caughtUp();
    await kafka.remakeTopic(group.topic);
    // It ends where the old one did: only its id tells them apart.
    await group.produce(...numbered(3, 0, 10));
    await until(() => handled.includes('12'));
    expect(handled).toEqual(['0', '1', '2', '10', '11', '12']);
    expect(group.eventsOf('log-changed')).toMatchObject([
      { reason: 'position-moved', expected: '3', found: '0' },
    ]);
  });

  test('is told of when it is read from elsewhere, and what was settled is looked up again', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const member = await group.start(() => undefined);
    await group.caughtUp();
    member.consumer.seek({ topic: group.topic, partition: 0, offset: '1' });
    await until(() => group.eventsOf('replayed').length === 2);
    expect(group.eventsOf('log-changed')).toEqual([
      {
        type: 'log-changed',
        topic: group.topic,
        partition: 0,
        reason: 'position-moved',
        expected: '3',
        found: '1',
      },
    ]);
    await group.caughtUp();
  });
});
