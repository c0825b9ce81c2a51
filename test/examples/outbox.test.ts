import { createHandleOnce } from 'handle-once';
import { fromPg } from 'handle-once/clients';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import type { Producer } from 'kafkajs';
import pg from 'pg';
import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OUTBOX_TABLE, outboxKey, publishChunk, relay, shipAndTell } from '../../examples/outbox.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { useKafka } from '../support/kafka.ts';
import { until } from '../support/until.ts';
import { records } from './support/records.ts';

type SendBatch = Producer['sendBatch'];

const kafka = useKafka();
const { sql, url } = useDatabase();
const pool = new pg.Pool({ connectionString: url, application_name: 'outbox' });
pool.on('error', () => undefined); // a test ends its connections
const client = fromPg(pool);
const producer = kafka.kafka.producer();
const handleOnce = createHandleOnce({ sql: client, scope: 'shipping', backoff: () => 0 });
let topic: string;

beforeAll(async () => {
  await producer.connect();
  await sql.unsafe(OUTBOX_TABLE);
  await sql`create table orders (id text primary key, shipped boolean not null default false)`;
});

beforeEach(async () => {
  await sql`truncate outbox, orders, handle_once.records`;
  await sql`insert into orders (id) values ('order-1'), ('order-2')`;
  topic = await kafka.createTopic();
});

afterAll(async () => {
  await producer.disconnect();
  await pool.end();
});

const isEmpty = async () => (await sql`select from outbox`).length === 0;
const valuesIn = async () => (await kafka.read(topic)).map(({ value }) => String(value));
const ship = (id: string) => handleOnce.inTransaction(id, { id }, shipAndTell(topic));

async function insert(db: postgres.ISql, ...payloads: string[]): Promise<void> {
  const rows = payloads.map((payload) => ({ key: payload.slice(0, 99), topic, partition_key: 'a', payload }));
  await db`insert into outbox ${db(rows)}`;
}

/** A relay that runs until it is stopped. */
function startRelay(sendBatch: SendBatch = (batch) => producer.sendBatch(batch)): () => Promise<void> {
  const stopping = new AbortController();
  const relaying = relay({ sql: client, producer: { sendBatch }, signal: stopping.signal });
  const stop = () => {
    stopping.abort();
    return relaying;
  };
  onTestFinished(stop);
  return stop;
}

/** The next consumer: what it was called with, and where its group goes on. */
async function startConsumer() {
  const groupId = kafka.groupId();
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const notify = vi.fn();
  const options = {
    consumer,
    groupId,
    handleOnce,
    fromBeginning: true,
    ordering: 'key',
    key: outboxKey,
    onFailed: 'acknowledge',
  } as const;
  await consumer.run(onceEachKafkaMessage(options, ({ payload }) => void notify(String(payload))));
  return { notify, committed: () => kafka.committed(groupId, topic) };
}

describe('outbox.ts', () => {
  it('has a message handled once whose relay dies after the acknowledgement and before the COMMIT', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => {
      logged.mockRestore();
    });
    let sends = 0;
    const stop = startRelay(async (batch) => {
      const acknowledged = await producer.sendBatch(batch);
      sends += 1;
      if (sends === 1) await endConnections();
      return acknowledged;
    });
    await ship('order-1');
    await until(isEmpty);
    await stop();
    expect(logged).toHaveBeenCalledOnce();
    expect(await valuesIn()).toEqual(['{"id":"order-1"}', '{"id":"order-1"}']);

    const { notify, committed } = await startConsumer();
    await expect.poll(committed).toEqual([2]);
    expect(notify.mock.calls).toEqual([['{"id":"order-1"}']]);
    expect(await records(sql)).toMatchObject([
      { scope: 'shipping', key: 'order-1', attempts: 1 },
      { scope: expect.stringMatching(/^shipping>kafka:/) as string, state: 'succeeded', attempts: 1 },
    ]);
  });

  it('publishes nothing of a transaction that is rolled back', async () => {
    const failed = await handleOnce.inTransaction(
      'order-1',
      { id: 'order-1' },
      async (order, attempt, tx) => {
        await shipAndTell(topic)(order, attempt, tx);
        throw new Error('no stock');
      },
    );
    expect(failed).toMatchObject({ state: 'pending', reason: 'released' });
    await ship('order-2');
    const stop = startRelay();
    await until(isEmpty);
    expect(await valuesIn()).toEqual(['{"id":"order-2"}']);

    expect(await ship('order-1')).toMatchObject({ state: 'succeeded', attempts: 2 });
    await until(isEmpty);
    await stop();
    expect(await valuesIn()).toEqual(['{"id":"order-2"}', '{"id":"order-1"}']);
  });

  it('publishes each row once and in order with two relays', async () => {
    const payloads = Array.from({ length: 350 }, (_, n) => String(n));
    await insert(sql, ...payloads);
    const sending = gate();
    const sent = gate();
    onTestFinished(sent.open);
    const first = publishChunk({
      sql: client,
      producer: {
        async sendBatch(batch) {
          sending.open();
          await sent.opened;
          return await producer.sendBatch(batch);
        },
      },
    });
    await sending.opened;
    expect(await publishChunk({ sql: client, producer })).toBe(0);
    sent.open();
    expect(await first).toBe(100);

    const stops = [startRelay(), startRelay()];
    await until(isEmpty);
    await Promise.all(stops.map((stop) => stop()));
    expect(await valuesIn()).toEqual(payloads);
  });

  it('publishes a row later, and does not lose it, that commits after one with a higher id', async () => {
    const inserted = gate();
    const commit = gate();
    const slow = sql.begin(async (tx) => {
      await insert(tx, 'lower');
      inserted.open();
      await commit.opened;
    });
    await inserted.opened;
    await insert(sql, 'higher');
    const sendBatch: SendBatch = async (batch) => {
      commit.open();
      await slow;
      return await producer.sendBatch(batch);
    };
    expect(await publishChunk({ sql: client, producer: { sendBatch } })).toBe(1);
    expect(await publishChunk({ sql: client, producer })).toBe(1);
    expect(await valuesIn()).toEqual(['higher', 'lower']);
  });

  it('gives messages of one order their ids in the order of their commits', async () => {
    let shipping: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`update orders set shipped = false where id = 'order-1'`;
      shipping = ship('order-1');
      const waiting = () => sql`
        select from pg_stat_activity where application_name = 'outbox' and wait_event_type = 'Lock'`;
      await until(async () => (await waiting()).length === 1);
      await insert(tx, 'before');
    });
    await shipping;
    const rows = await sql`select payload from outbox order by id`;
    expect(rows.map(({ payload }) => payload as string)).toEqual(['before', '{"id":"order-1"}']);
  });

  it('publishes large rows in chunks that a broker takes, and refuses a larger one', async () => {
    const large = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(500_000));
    await insert(sql, ...large);
    const published: number[] = [];
    while (!(await isEmpty())) published.push(await publishChunk({ sql: client, producer }));
    expect(published).toEqual([1, 1, 1, 1]);
    await insert(sql, '1', ...large.slice(0, 2));
    expect(await publishChunk({ sql: client, producer })).toBe(2);
    await expect(insert(sql, 'e'.repeat(500_001))).rejects.toThrow('outbox_payload_check');
  });

  it('finishes its chunk when it is stopped', async () => {
    const sending = gate();
    const sent = gate();
    const stop = startRelay(async (batch) => {
      sending.open();
      await sent.opened;
      return await producer.sendBatch(batch);
    });
    onTestFinished(sent.open);
    await insert(sql, 'last');
    await sending.opened;
    const stopped = stop();
    sent.open();
    await stopped;
    expect(await isEmpty()).toBe(true);
    expect(await valuesIn()).toEqual(['last']);
  });
});

/** As a failover does. */
async function endConnections(): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'outbox'`;
}
