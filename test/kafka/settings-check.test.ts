import { createHandleOnce, type HandleOnceSettings } from 'handle-once';
import type { ConsumerTimeouts } from '../../adapters/kafka/options/options.ts';
import type { KafkaAdmin } from '../../adapters/kafka/log/kafkajs-types.ts';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { fakeAdmin } from './support/fake-admin.ts';
import { timeoutWarnings } from '../../adapters/kafka/settings-check.ts';
import { topicWarnings } from '../../adapters/shared/kafka/topic-retention.ts';

const { settings } = createHandleOnce({
  store: createMemoryStore(),
  scope: 's',
  leaseMs: 10_000,
  succeededRetentionMs: 100_000,
  failedRetentionMs: 200_000,
});

describe('timeouts', () => {
  const warningsOf = (config: ConsumerTimeouts, overrides: Partial<HandleOnceSettings> = {}): string[] =>
    timeoutWarnings(config, { ...settings, ...overrides }).map(({ warning }) => warning);

  test.each<[what: string, config: ConsumerTimeouts, leaseMs: number, expected: string[]]>([
    ['the defaults of the client', {}, 30_000, []],
    ['the defaults, and a lease above the session', {}, 30_001, ['LEASE_OUTLIVES_SESSION']],
    ['a lease below the session', { sessionTimeout: 10_001 }, 10_000, []],
    ['a lease of the session', { sessionTimeout: 10_000 }, 10_000, []],
    ['a lease above the session', { sessionTimeout: 9_999 }, 10_000, ['LEASE_OUTLIVES_SESSION']],
    ['a heartbeat below half of the session', { heartbeatInterval: 14_999 }, 1, []],
    ['a heartbeat of half of the session', { heartbeatInterval: 15_000 }, 1, []],
    ['a heartbeat above half of the session', { heartbeatInterval: 15_001 }, 1, ['HEARTBEAT_TOO_RARE']],
    ['a wait that leaves room for a heartbeat', { maxWaitTimeInMs: 26_999 }, 1, []],
    ['a wait that just leaves room for a heartbeat', { maxWaitTimeInMs: 27_000 }, 1, []],
    ['a wait that leaves no room for a heartbeat', { maxWaitTimeInMs: 27_001 }, 1, ['MAX_WAIT_TOO_LONG']],
    [
      'everything',
      { sessionTimeout: 6_000, heartbeatInterval: 5_000, maxWaitTimeInMs: 1_001 },
      7_000,
      ['HEARTBEAT_TOO_RARE', 'MAX_WAIT_TOO_LONG', 'LEASE_OUTLIVES_SESSION'],
    ],
  ])('%s', (_, config, leaseMs, expected) => {
    expect(warningsOf(config, { leaseMs })).toEqual(expected);
  });

  test('each warning names its numbers and what to change', () => {
    const config = { sessionTimeout: 6_000, heartbeatInterval: 5_000, maxWaitTimeInMs: 1_001 };
    const messages = timeoutWarnings(config, { ...settings, leaseMs: 7_000 }).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/heartbeatInterval of 5000 ms.*sessionTimeout \(6000 ms\).*Set it to a third/),
      expect.stringMatching(/maxWaitTimeInMs of 1001 ms.*\(6000 ms\).*Lower it/),
      expect.stringMatching(/lease of 7000 ms.*\(6000 ms\).*Lower leaseMs, or raise sessionTimeout/),
    ]);
  });
});

describe('topics', () => {
  type Query = Parameters<KafkaAdmin['describeConfigs']>[0];

  /** An admin client of topics with these configs. */
  function adminOf(topics: Record<string, Record<string, string>>) {
    const queries: Query[] = [];
    const describeConfigs = (query: Query) => {
      queries.push(query);
      const resources = query.resources.map(({ name, configNames }) => ({
        resourceName: name,
        configEntries: configNames.flatMap((configName) => {
          const configValue = topics[name]?.[configName];
          return configValue === undefined ? [] : [{ configName, configValue }];
        }),
      }));
      return Promise.resolve({ resources });
    };
    return { admin: fakeAdmin({ describeConfigs }), queries };
  }

  const messagesOf = async (
    config: Record<string, string>,
    overrides: Partial<HandleOnceSettings> = {},
  ): Promise<string[]> => {
    const warnings = await topicWarnings(adminOf({ orders: config }).admin, ['orders'], {
      ...settings,
      ...overrides,
    });
    for (const { warning } of warnings) expect(warning).toBe('RETENTION_TOO_SHORT');
    return warnings.map(({ message }) => message);
  };

  const deleted = (retention: string) => ({ 'cleanup.policy': 'delete', 'retention.ms': retention });

  test.each(['1', '99999', '100000'])('a retention of %s ms is reached', async (retention) => {
    expect(await messagesOf(deleted(retention))).toEqual([]);
  });

  test('a retention above that of the records is warned of', async () => {
    expect(await messagesOf(deleted('100001'))).toEqual([
      expect.stringMatching(/^orders keeps messages for 100001 ms, but records expire after 100000 ms/),
    ]);
  });

  test('the shorter retention of the records counts', async () => {
    expect(await messagesOf(deleted('100000'), { failedRetentionMs: 99_999 })).toHaveLength(1);
    expect(await messagesOf(deleted('100000'), { succeededRetentionMs: 99_999 })).toHaveLength(1);
  });

  test.each([
    ['an infinite retention', deleted('-1')],
    ['a compacted topic', { 'cleanup.policy': 'compact', 'retention.ms': '1' }],
    ['settings that are not told', {}],
  ])('%s is kept without end', async (_, config) => {
    expect(await messagesOf(config)).toEqual([expect.stringMatching(/keeps messages without end/)]);
  });

  test.each(['compact,delete', 'delete,compact'])('a policy of %s deletes', async (policy) => {
    expect(await messagesOf({ 'cleanup.policy': policy, 'retention.ms': '100000' })).toEqual([]);
    expect(await messagesOf({ 'cleanup.policy': policy, 'retention.ms': '100001' })).toHaveLength(1);
  });

  test('all topics are asked for at once, and each is judged by itself', async () => {
    const { admin, queries } = adminOf({ a: deleted('1'), b: deleted('100001'), c: deleted('-1') });
    const warnings = await topicWarnings(admin, ['a', 'b', 'c'], settings);
    expect(warnings.map(({ message }) => message[0])).toEqual(['b', 'c']);
    const configNames = ['retention.ms', 'cleanup.policy'];
    expect(queries).toEqual([
      { includeSynonyms: false, resources: ['a', 'b', 'c'].map((name) => ({ type: 2, name, configNames })) },
    ]);
  });

  test.each<[what: string, error: unknown, name: string]>([
    [
      'an error',
      Object.assign(new Error('denied'), { name: 'KafkaJSProtocolError' }),
      'KafkaJSProtocolError',
    ],
    ['anything', 'denied', 'unknown error'],
  ])('topics that cannot be read, with %s, are told of and not judged', async (_, error, name) => {
    const admin = Object.assign(fakeAdmin(), { error });
    const warnings = await topicWarnings(admin, ['orders', 'invoices'], settings);
    expect(warnings).toEqual([
      {
        warning: 'TOPIC_UNREADABLE',
        message: expect.stringContaining(`orders, invoices cannot be read (${name})`) as string,
      },
    ]);
  });

  test('an admin client that throws at once is no worse', async () => {
    const admin = fakeAdmin({
      describeConfigs: () => {
        throw new TypeError('not connected');
      },
    });
    expect(await topicWarnings(admin, ['orders'], settings)).toMatchObject([{ warning: 'TOPIC_UNREADABLE' }]);
  });
});
