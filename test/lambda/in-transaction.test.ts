import { randomUUID } from 'node:crypto';
import { createHandleOnce } from 'handle-once';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useShipped } from '../support/shipped.ts';
import { ample, fifoRecord, kafkaRecord, mskEvent, sqsEvent, sqsRecord } from './support/events.ts';

const { sql } = useDatabase();
const mapping = { groupId: 'billing', onFailed: 'acknowledge', onKept: 'report' } as const;

const shipped = useShipped(sql);

const base = () => ({
  handleOnce: createHandleOnce({ sql, scope: randomUUID(), backoff: () => 0 }),
  inTransaction: true as const,
});

/** Fails once it has written, at its first attempt. */
function failFirst(id: string, number: number): void {
  if (id === 'bad' && number === 1) throw new Error('not yet');
}

describe('In a transaction, what a handler writes commits with its record, and is rolled back with its error:', () => {
  test('of SQS records', async () => {
    const handler = onceEachSqsRecord({ ...base(), parse: String }, async (id, { number, record }, tx) => {
      await tx`insert into shipped (id) values (${id})`;
      expect(record.body).toBe(id);
      failFirst(id, number);
    });
    const event = sqsEvent(sqsRecord('id-1', 'good'), sqsRecord('id-2', 'bad'));
    expect(await handler(event, ample())).toEqual({ batchItemFailures: [{ itemIdentifier: 'id-2' }] });
    expect(await shipped()).toEqual(['good']);
    expect(await handler(event, ample())).toEqual({ batchItemFailures: [] });
    expect(await shipped()).toEqual(['bad', 'good']);
  });

  test('of Kafka records', async () => {
    const options = { ...base(), ...mapping, parse: String };
    const handler = onceEachKafkaRecord(options, async ({ payload, topic }, { number }, tx) => {
      await tx`insert into shipped (id) values (${payload})`;
      expect(topic).toBe('orders');
      failFirst(payload, number);
    });
    const event = mskEvent(kafkaRecord('orders', 0, 0, 'good'), kafkaRecord('orders', 1, 0, 'bad'));
    const itemIdentifier = { partition: 'orders-1', offset: 0 };
    expect(await handler(event, ample())).toEqual({ batchItemFailures: [{ itemIdentifier }] });
    expect(await shipped()).toEqual(['good']);
    expect(await handler(event, ample())).toEqual({ batchItemFailures: [] });
    expect(await shipped()).toEqual(['bad', 'good']);
  });
});

test('a group has one transaction at a time: the next is claimed once it has committed', async () => {
  await sql`
    create function slow() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(0.2);
      return null;
    end $$
  `;
  await sql`
    create constraint trigger slow_commit after insert on shipped deferrable initially deferred
    for each row execute function slow()
  `;
  const told: string[] = [];
  const handleOnce = createHandleOnce({
    sql,
    scope: randomUUID(),
    onEvent: ({ type, ...event }) => 'key' in event && told.push(`${type} ${event.key}`),
  });
  const handler = onceEachSqsRecord(
    { handleOnce, inTransaction: true, parse: String },
    async (id, _attempt, tx) => {
      await tx`insert into shipped (id) values (${id})`;
    },
  );
  const event = sqsEvent(fifoRecord('a', '1', 'group'), fifoRecord('b', '2', 'group'));
  expect(await handler(event, ample())).toEqual({ batchItemFailures: [] });
  expect(told).toEqual(['claimed a', 'succeeded a', 'claimed b', 'succeeded b']);
});

test('a store without transactions is refused', () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'a' });
  const options = { handleOnce, inTransaction: true } as const;
  const refusal = 'inTransaction: needs a handleOnce made with sql';
  expect(() => onceEachSqsRecord(options, () => 1)).toThrow(refusal);
  expect(() => onceEachKafkaRecord({ ...options, ...mapping }, () => 1)).toThrow(refusal);
});

test('a pool that the handlers of one invocation can use up is warned of', () => {
  const handleOnce = createHandleOnce({ sql, scope: 'a' });
  const warnings: string[] = [];
  const onEvent = (event: { type: string; warning?: string }): unknown => warnings.push(event.warning ?? '');
  for (const concurrency of [sql.options.max - 1, sql.options.max]) {
    onceEachSqsRecord({ handleOnce, inTransaction: true, concurrency, onEvent }, () => 1);
  }
  expect(warnings).toEqual(['POOL_TOO_SMALL']);
});
