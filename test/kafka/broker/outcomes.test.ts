import { RetryableError, TerminalError } from 'handle-once';
import type { KafkaHandler } from 'handle-once/kafka';
import { CompressionTypes } from 'kafkajs';
import type postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { leave, numbered, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { kafka, sql, setup } = useFixture();

describe('A message', () => {
  test('that succeeds is recorded and committed', async () => {
    const group = await setup();
    await group.produce({ key: 'a', value: 'one', headers: { trace: 'x' } });
    const handler = vi.fn(() => 'done');

    await group.start(handler);
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledWith(
      expect.objectContaining({
        topic: group.topic,
        partition: 0,
        payload: Buffer.from('one'),
        message: expect.objectContaining({
          offset: '0',
          key: Buffer.from('a'),
          headers: { trace: Buffer.from('x') },
        }) as unknown,
      }),
      expect.objectContaining({ scope: group.scope, key: `${group.topic}-0-0`, number: 1 }),
    );
    expect(await group.records()).toMatchObject([
      { key: `${group.topic}-0-0`, state: 'succeeded', attempts: 1 },
    ]);
    expect(await group.committed()).toEqual([1]);
  });

  test('that is fetched again is answered from its record, and committed again', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const handler = vi.fn();
    const first = await group.start(handler);
    await group.caughtUp();
    await leave(first);
    await group.rewind();
    expect(await group.committed()).toEqual([-1]);

    const again = await group.start(handler);
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(3);
    expect(again.counts()).toMatchObject({ replayed: 3, acknowledged: 3 });
    expect(await group.committed()).toEqual([3]);
  });

  test('that is handled in a transaction is committed with its record, or not at all', async () => {
    await sql`create table if not exists shipped (id text not null)`;
    const group = await setup();
    await group.produce(...numbered(3));
    const ship: KafkaHandler<Buffer | null, [tx: postgres.TransactionSql]> = async (
      { payload },
      { number },
      tx,
    ) => {
      await tx`insert into shipped (id) values (${String(payload)})`;
      if (number === 1 && String(payload) === '1') throw new Error('once');
    };
    await group.start(ship as never, { inTransaction: true as never });
    await group.caughtUp();
    const rows = await sql<{ id: string }[]>`select id from shipped`;
    expect(rows.map(({ id }) => id)).toEqual(['0', '1', '2']);
  });

  test('of a batch that is compressed is handled as any other', async () => {
    const group = await setup();
    const producer = kafka.kafka.producer();
    await producer.connect();
    const messages = numbered(3);
    await producer.send({ topic: group.topic, compression: CompressionTypes.GZIP, messages });
    await producer.disconnect();
    const handled: string[] = [];
    await group.start(({ payload }) => {
      handled.push(String(payload));
    });
    await group.caughtUp();
    expect(handled).toEqual(['0', '1', '2']);
  });

  test('that fails once is tried again', async () => {
    const group = await setup();
    await group.produce(...numbered(2));
    const attempts: string[] = [];
    await group.start(({ payload }, { number }) => {
      attempts.push(`${String(payload)} #${number}`);
      if (number === 1 && String(payload) === '0') throw new RetryableError('again', { retryAfterMs: 200 });
    });
    await group.caughtUp();

    expect(attempts).toEqual(['0 #1', '0 #2', '1 #1']);
    expect(group.eventsOf('kept')).toMatchObject([{ offset: '0', reason: 'released' }]);
    expect(await group.records()).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
    expect(await group.committed()).toEqual([2]);
  });

  test('whose handler throws a TypeError is tried again, more often than the client puts up with', async () => {
    const group = await setup(undefined, { maxAttempts: 20 });
    await group.produce(...numbered(2));
    const numbers: number[] = [];
    const member = await group.start(({ payload }, { number }) => {
      numbers.push(number);
      if (number < 10 && String(payload) === '0') throw new TypeError('undefined is not a function');
    });
    await group.caughtUp();

    expect(numbers).toEqual([...upTo(10).map((n) => n + 1), 1]);
    expect(member.crashes).toEqual([]);
    expect(member.joins).toHaveLength(1);
    expect(await group.committed()).toEqual([2]);
  });

  test('that fails for good is committed, and its record keeps why', async () => {
    const group = await setup();
    await group.produce(...numbered(2));
    const handler = vi.fn(({ payload }: { payload: Buffer | null }) => {
      if (String(payload) === '0') throw new TerminalError('card is blocked', { code: 'CARD_BLOCKED' });
    });
    const first = await group.start(handler);
    await group.caughtUp();
    const [failed, succeeded] = await group.records();
    expect(failed).toMatchObject({ state: 'failed', failed_reason: 'terminal', attempts: 1 });
    expect(JSON.parse(failed?.error ?? '')).toEqual({
      name: 'TerminalError',
      message: 'card is blocked',
      code: 'CARD_BLOCKED',
    });
    expect(succeeded).toMatchObject({ state: 'succeeded' });
    expect(await group.committed()).toEqual([2]);

    await leave(first);
    await group.rewind();
    await group.start(handler);
    await group.caughtUp();
    expect(handler).toHaveBeenCalledTimes(2);
    expect(group.eventsOf('replayed')).toMatchObject([{ state: 'failed' }, { state: 'succeeded' }]);
    expect(await group.committed()).toEqual([2]);
  });

  test('that uses up its attempts is committed', async () => {
    const group = await setup(undefined, { maxAttempts: 3 });
    await group.produce(...numbered(2));
    const handler = vi.fn(({ payload }: { payload: Buffer | null }) => {
      if (String(payload) === '0') throw new Error('down');
    });
    await group.start(handler);
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(4);
    expect(await group.records()).toMatchObject([
      { state: 'failed', failed_reason: 'attempts-exhausted', attempts: 3 },
      { state: 'succeeded' },
    ]);
    expect(await group.committed()).toEqual([2]);
  });
});

describe('Poison at the head of a partition', () => {
  test.each([
    ['bytes that are no JSON', Buffer.from([0xff, 0x00, 0x7b])],
    ['a value that the schema refuses', '{"order":"one"}'],
    ['a tombstone that the schema refuses', null],
  ])('%s: fails for good, unseen by the handler, and the rest goes on', async (_, poison) => {
    const group = await setup();
    await group.produce({ value: poison }, { value: '{"order":2}' });
    const orders: number[] = [];
    await group.start(({ payload }) => orders.push(payload.order), {
      schema: z.object({ order: z.number() }),
    });
    await group.caughtUp();

    expect(orders).toEqual([2]);
    expect(await group.records()).toMatchObject([
      { state: 'failed', failed_reason: 'invalid-payload' },
      { state: 'succeeded' },
    ]);
    expect(await group.committed()).toEqual([2]);
  });

  test('what a parse of the own refuses', async () => {
    const group = await setup();
    await group.produce({ value: 'poison' }, { value: '7' });
    const seen: number[] = [];
    await group.start(({ payload }: { payload: number }) => seen.push(payload), {
      parse: (value): number => {
        const number = Number(value);
        if (Number.isNaN(number)) throw new RangeError('no number');
        return number;
      },
    });
    await group.caughtUp();

    expect(seen).toEqual([7]);
    expect(await group.records()).toMatchObject([{ failed_reason: 'invalid-payload' }, {}]);
    expect(await group.committed()).toEqual([2]);
  });
});

describe('A business key', () => {
  const key = ({ key }: { key: Buffer | null }) => String(key);

  test('makes one message of what a producer wrote twice', async () => {
    const group = await setup();
    const now = Date.now();
    await group.produce({ key: 'order-1', value: 'paid', timestamp: String(now) });
    await group.produce({ key: 'order-1', value: 'paid', timestamp: String(now + 1) });
    const handler = vi.fn();
    await group.start(handler, { key });
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(1);
    expect(group.eventsOf('replayed')).toMatchObject([{ offset: '1', key: 'order-1' }]);
    expect(await group.records()).toMatchObject([{ key: 'order-1', state: 'succeeded', attempts: 1 }]);
    expect(await group.committed()).toEqual([2]);
  });

  test('with another value is a mismatch: the message is withheld, and never passed', async () => {
    const group = await setup();
    await group.produce({ key: 'order-1', value: 'paid' }, { key: 'order-1', value: 'refunded' });
    const handler = vi.fn();
    await group.start(handler, { key });
    await until(() => group.eventsOf('kept').length >= 2);

    expect(handler).toHaveBeenCalledTimes(1);
    expect(new Set(group.eventsOf('kept').map(({ reason }) => reason))).toEqual(new Set(['mismatch']));
    expect(await group.committed()).toEqual([1]);
  });

  test('that cannot be had withholds the message', async () => {
    const group = await setup();
    await group.produce(...numbered(2));
    const handler = vi.fn();
    await group.start(handler, {
      key: ({ offset }) => {
        if (offset === '1') throw new TypeError('no key');
        return offset;
      },
    });
    await until(() => group.eventsOf('kept').length >= 2);

    expect(handler).toHaveBeenCalledTimes(1);
    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '1', key: '', reason: 'invalid-key' });
    expect(await group.committed()).toEqual([1]);
  });
});
