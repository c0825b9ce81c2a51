import { expect, test } from 'vitest';
import { isKafkaJs, readsTopicSettings } from './support/client.ts';
import { someHeartbeats, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { kafka, setup } = useFixture();

const HOUR_MS = 3_600_000;
const retention = { succeededRetentionMs: 2 * HOUR_MS, failedRetentionMs: HOUR_MS };

test.runIf(readsTopicSettings).each([
  ['for longer than records are kept', { 'retention.ms': String(HOUR_MS + 1) }, `for ${HOUR_MS + 1} ms`],
  ['without end', { 'retention.ms': '-1' }, 'without end'],
  [
    'without end, since it is only compacted',
    { 'cleanup.policy': 'compact', 'retention.ms': '1000' },
    'without end',
  ],
])('a topic that keeps messages %s is warned of, once', async (_, config, kept) => {
  const group = await setup({ config }, retention);
  await group.start(() => undefined, { admin: kafka.admin });
  await until(() => group.eventsOf('warning').length > 0);
  const second = await group.start(() => undefined);
  await someHeartbeats(second);

  expect(group.eventsOf('warning')).toMatchObject([{ warning: 'RETENTION_TOO_SHORT' }]);
  expect(group.eventsOf('warning')[0]?.message).toContain(
    `${group.topic} keeps messages ${kept}, but records expire after ${HOUR_MS} ms`,
  );
});

test.each([
  ['for as long as records', { 'retention.ms': String(HOUR_MS) }],
  ['for less long, compacted or not', { 'retention.ms': '60000', 'cleanup.policy': 'compact,delete' }],
])('a topic that keeps messages %s is fine', async (_, config) => {
  const group = await setup({ config }, retention);
  const member = await group.start(() => undefined, { admin: kafka.admin });
  await someHeartbeats(member);
  expect(group.eventsOf('warning')).toEqual([]);
});

// A worker knows its topics, and refuses it.
test.runIf(isKafkaJs)('a dead-letter topic that is consumed too is warned of', async () => {
  const group = await setup();
  const producer = { send: () => Promise.reject(new Error('not used')) };
  await group.start(() => undefined, { onFailed: { deadLetterTopic: group.topic, producer } });
  await until(() => group.eventsOf('warning').length > 0);
  expect(group.eventsOf('warning')).toMatchObject([{ warning: 'DEAD_LETTER_TOPIC_CONSUMED' }]);
});
