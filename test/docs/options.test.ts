import { describe, expect, it, test } from 'vitest';
import * as z from 'zod/mini';
import { dashboardOptions } from '../../adapters/dashboard/options.ts';
import { httpFields } from '../../adapters/http/options.ts';
import { kafkaWorkerOptions as confluentOptions } from '../../adapters/kafka/confluent/options.ts';
import { onceEachMessageOptions } from '../../adapters/kafka/options/options.ts';
import { kafkaWorkerOptions as platformaticOptions } from '../../adapters/kafka/platformatic/options.ts';
import { kafkaRecordOptions } from '../../adapters/lambda/kafka-options.ts';
import { sqsRecordOptions } from '../../adapters/lambda/sqs-options.ts';
import { sqsWorkerOptions } from '../../adapters/sqs/options.ts';
import { sqsConsumerOptions } from '../../adapters/sqs/sqs-consumer/options.ts';
import { webhookOptions } from '../../adapters/webhook/options.ts';
import { onceEachOptions } from '../../src/adapter/once-each/options.ts';
import { createHandleOnce, retention } from '../../src/index.ts';
import { maintainOptions } from '../../adapters/operations/maintain.ts';
import { startOptions } from '../../adapters/operations/start-maintenance.ts';
import { optionsSchema } from '../../src/api/options.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { namesIn, tableUnder, textOf } from './documents.ts';

type Fields = Readonly<Record<string, z.core.$ZodType>>;

const PAGE = textOf('docs/options.md');
const OF_EVERY_ADAPTER = optionsIn(PAGE, 'Every adapter');

/** The options of an adapter's own. */
const ADAPTERS: readonly [heading: string, fields: Fields][] = [
  ['`createSqsWorker` and `onceEachSqsMessage`', sqsWorkerOptions().shape],
  ['`onceEachConsumerMessage` and `onceEachConsumerBatch`', sqsConsumerOptions(false).shape],
  ['`onceEachKafkaMessage`', onceEachMessageOptions().shape],
  ['`onceEachWebhook`', webhookOptions().shape],
  [
    '`onceEachSqsRecord` and `onceEachKafkaRecord`',
    { ...kafkaRecordOptions().shape, ...sqsRecordOptions().shape },
  ],
  ['`onceEach`', onceEachOptions().shape],
];

/** The default of each option that a table has. */
function optionsIn(text: string, heading: string): Map<string, string> {
  return new Map(
    tableUnder(text, heading).flatMap(([names, cell = '']) => namesIn(names).map((name) => [name, cell])),
  );
}

/** Numbers, texts and flags: others are told in words. */
function plainDefault(field: z.core.$ZodType): string | undefined {
  if (!(field instanceof z.ZodMiniDefault)) return undefined;
  const value: unknown = field.def.defaultValue;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

function expectSame(documented: ReadonlyMap<string, string>, fields: Fields): void {
  // The handler is checked with the options, and given beside them.
  const options = Object.keys(fields).filter((name) => name !== 'handler');
  expect([...documented.keys()].toSorted()).toEqual(options.toSorted());
  for (const [name, field] of Object.entries(fields)) {
    const value = plainDefault(field);
    if (value !== undefined) expect(documented.get(name), name).toContain(value);
  }
}

describe('docs/options.md has the options of the code, with their defaults', () => {
  it.each(ADAPTERS)('%s', (heading, fields) => {
    expectSame(new Map([...OF_EVERY_ADAPTER, ...optionsIn(PAGE, heading)]), fields);
  });

  it.each([
    ['Confluent', confluentOptions().shape],
    ['platformatic', platformaticOptions().shape],
  ])('createKafkaWorker of %s', (_, fields) => {
    const ofKafkajs = optionsIn(PAGE, '`onceEachKafkaMessage`');
    for (const ofItsConsumer of ['consumer', 'consumerConfig'])
      expect(ofKafkajs.delete(ofItsConsumer)).toBe(true);
    const documented = optionsIn(PAGE, '`createKafkaWorker`');
    expectSame(new Map([...OF_EVERY_ADAPTER, ...ofKafkajs, ...documented]), fields);
  });

  test('createHandleOnce', () => {
    const documented = optionsIn(PAGE, '`createHandleOnce`');
    expectSame(documented, optionsSchema().shape);
    const { settings } = createHandleOnce({ store: createMemoryStore(), scope: 's' });
    for (const [name, value] of Object.entries(settings)) {
      if (typeof value !== 'number') continue;
      expect(documented.get(name), name).toContain(value.toLocaleString('en-US'));
    }
    const { baseMs, maxMs, factor } = settings.backoff ?? {};
    const digits = documented.get('backoff')?.replaceAll('_', '');
    expect(digits).toBe(`\`{ baseMs: ${baseMs}, maxMs: ${maxMs}, factor: ${factor} }\``);
  });

  test('maintenance', () => {
    expectSame(optionsIn(PAGE, '`startMaintenance` and `maintain`'), {
      ...maintainOptions().shape,
      ...startOptions().shape,
    });
  });

  test('the presets of retention', () => {
    const hours = tableUnder(PAGE, '`retention`').map(([name, cell]) => [...namesIn(name), Number(cell)]);
    const presets = Object.entries(retention).map(([name, { succeededRetentionMs, failedRetentionMs }]) => {
      expect(failedRetentionMs).toBe(succeededRetentionMs);
      return [name, succeededRetentionMs / 3_600_000];
    });
    expect(hours.toSorted()).toEqual(presets.toSorted());
  });
});

test('docs/http.md has the options of the code, with their defaults', () => {
  const documented = optionsIn(textOf('docs/http.md'), 'Options');
  // Of one of its two entry points.
  expect(documented.delete('inTransaction')).toBe(true);
  expectSame(documented, httpFields());
});

test('docs/dashboard.md has the options of the code, with their defaults', () => {
  expectSame(optionsIn(textOf('docs/dashboard.md'), 'In your own server'), dashboardOptions().shape);
});
