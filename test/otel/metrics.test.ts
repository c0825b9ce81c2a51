import { channel } from 'node:diagnostics_channel';
import type { DataPoint, Histogram } from '@opentelemetry/sdk-metrics';
import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import type { MaintenanceEvent } from 'handle-once/operations';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { telemetry, type Value } from './support/in-memory.ts';

const CHANNELS = ['core', 'adapter', 'handler', 'statement', 'operations'].map((name) =>
  channel(`handle-once:${name}`),
);

function bench(options: Partial<HandleOnceOptions> = {}) {
  const observed = telemetry();
  const given: Partial<HandleOnceOptions> = { onEvent: () => undefined };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', ...given, ...options });
  return { ...observed, handleOnce };
}

/** Values of a counter or gauge, and counts of a histogram, by some of its labels. */
function by(points: readonly DataPoint<Value>[], ...labels: string[]): Record<string, number> {
  return Object.fromEntries(
    points.map(({ attributes, value }) => [
      labels.map((label) => String(attributes[label] ?? '-')).join(' '),
      typeof value === 'number' ? value : value.count,
    ]),
  );
}

test('events are counted by type and scope', async () => {
  const { handleOnce, metric } = bench();
  for (const key of ['1', '1', '1', '2']) await handleOnce(key, 'body', () => 1);
  await handleOnce.inScope('other')('1', 'body', () => 1);
  const labels = ['handle_once.scope', 'handle_once.event'];
  expect(by(await metric('handle_once.events'), ...labels)).toEqual({
    'billing claimed': 2,
    'billing succeeded': 2,
    'billing replayed': 2,
    'other claimed': 1,
    'other succeeded': 1,
  });
});

test('times are in seconds', async () => {
  const { metric } = bench();
  for (const channelOf of ['handler', 'statement']) {
    channel(`handle-once:${channelOf}`).publish({ durationMs: 2_500 });
    const [point] = await metric(`handle_once.${channelOf}.duration`);
    expect(point?.value).toMatchObject({ sum: 2.5 });
  }
});

test('handlers are timed, those that throw apart', async () => {
  const { handleOnce, metric } = bench();
  await handleOnce('1', 'body', () => 1);
  await handleOnce('2', 'body', () => Promise.reject(new Error('no card')));
  await handleOnce('1', 'body', () => 1);
  const points = await metric('handle_once.handler.duration');
  expect(by(points, 'handle_once.scope', 'handle_once.failed')).toEqual({
    'billing -': 1,
    'billing true': 1,
  });
});

test('statements are timed, and tell how many messages shared them', async () => {
  const { handleOnce, metric } = bench();
  await Promise.all(['1', '2', '3'].map((key) => handleOnce(key, 'body', () => 1)));
  const verb = 'handle_once.verb';
  const [durations, messages] = [
    await metric('handle_once.statement.duration'),
    await metric('handle_once.statement.messages'),
  ];
  expect(Object.keys(by(durations, verb, 'handle_once.failed')).toSorted()).toEqual(['claim -', 'settle -']);
  const shared = messages.map(({ value }) => (value as Histogram).sum);
  expect(shared).toEqual([3, 3]);
});

test('a statement that fails is told apart', async () => {
  const store = { ...createMemoryStore(), claim: () => Promise.reject(new Error('down')) };
  const { handleOnce, metric } = bench({ store });
  await expect(handleOnce('1', 'body', () => 1)).rejects.toThrow();
  const points = await metric('handle_once.statement.duration');
  expect(by(points, 'handle_once.verb', 'handle_once.failed')).toMatchObject({ 'claim true': 1 });
});

test('what becomes of messages at their brokers is counted, by reason', async () => {
  const { handleOnce, metric } = bench({ backoff: () => 60_000 });
  const handle = onceEach(
    {
      handleOnce,
      key: (id: string) => id,
      body: (id) => id,
      acknowledge: () => undefined,
      retryLater: () => undefined,
      onFailed: 'keep',
    },
    (id) => (id === 2 ? Promise.reject(new Error('no card')) : id),
  );
  for (const id of ['1', '1', '2']) await handle(id);
  const points = await metric('handle_once.deliveries');
  expect(by(points, 'handle_once.event', 'handle_once.reason')).toEqual({
    'acknowledged -': 2,
    'replayed -': 1,
    'kept released': 1,
  });
});

test('a Kafka partition that is withheld is counted by its topic', async () => {
  const { metric } = bench();
  const paused = { type: 'partition-paused', topic: 'orders', partition: 3, retryAfterMs: 1_000 };
  channel('handle-once:adapter').publish(paused);
  const points = await metric('handle_once.deliveries');
  expect(points.map(({ attributes }) => attributes)).toEqual([
    { 'handle_once.event': 'partition-paused', 'messaging.destination.name': 'orders' },
  ]);
});

test('the census of the last walk is a gauge, and what walks deleted a sum', async () => {
  const { metric } = bench();
  const before = Date.now() / 1_000;
  channel('handle-once:operations').publish({ type: 'maintenance-error' });
  for (const name of ['maintenance.finished', 'records.abandoned']) {
    expect(await metric(`handle_once.${name}`)).toEqual([]);
  }
  const told: MaintenanceEvent[] = [
    { type: 'maintained', purged: 5, records: 100, abandoned: 3 },
    { type: 'abandoned', abandoned: 3, scopes: ['billing'] },
    { type: 'maintained', purged: 7, records: 90, abandoned: 2 },
  ];
  for (const event of told) channel('handle-once:operations').publish(event);
  expect(by(await metric('handle_once.maintenance'), 'handle_once.event')).toEqual({
    maintained: 2,
    abandoned: 1,
    'maintenance-error': 1,
  });
  expect(await metric('handle_once.records.purged')).toMatchObject([{ value: 12 }]);
  expect(await metric('handle_once.records')).toMatchObject([{ value: 90 }]);
  expect(await metric('handle_once.records.abandoned')).toMatchObject([{ value: 2 }]);
  const [finished] = await metric('handle_once.maintenance.finished');
  expect(Math.abs(Number(finished?.value) - before)).toBeLessThan(60);
});

test('no label has a key, a payload or the text of an error', async () => {
  const { handleOnce, metric } = bench();
  await handleOnce('secret-key', 'secret-body', () => Promise.reject(new Error('secret-error')));
  const names = ['events', 'handler.duration', 'statement.duration', 'statement.messages'];
  for (const name of names) {
    const points = await metric(`handle_once.${name}`);
    expect(points.length).toBeGreaterThan(0);
    expect(JSON.stringify(points.map(({ attributes }) => attributes))).not.toContain('secret');
  }
});

test('nothing listens before the call and after its end', () => {
  const listening = () => CHANNELS.map(({ hasSubscribers }) => hasSubscribers);
  expect(listening()).not.toContain(true);
  const { stop } = telemetry();
  expect(listening()).not.toContain(false);
  stop();
  expect(listening()).not.toContain(true);
});
