import { expect, test } from 'vitest';
import { isKafkaJs } from './support/client.ts';
import { numbered, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup } = useFixture();

// kafkajs has no static membership.
test.skipIf(isKafkaJs)('A member stops for good when another has taken its place by its id', async () => {
  const group = await setup();
  const config = { groupInstanceId: 'worker-1' };
  const handled: string[] = [];
  const handlerOf = (name: string) => () => {
    handled.push(name);
  };
  const first = await group.start(handlerOf('first'), { config });
  await group.produce(...numbered(1));
  await group.caughtUp();
  const second = await group.start(handlerOf('second'), { config });
  await until(() => !first.health().live);
  expect(group.eventsOf('warning')).toMatchObject([{ warning: 'CONSUMER_STOPPED' }]);
  await group.produce(...numbered(3, 0, 1));
  await group.caughtUp();
  expect(handled).toEqual(['first', 'second', 'second', 'second']);
  // It was fenced neither.
  expect(second.health().ready).toBe(true);
  expect(second.joins).toHaveLength(1);
});
