import { randomBytes } from 'node:crypto';
import {
  AckPolicy,
  type Consumer,
  jetstream,
  jetstreamManager,
  type JsMsg,
  StorageType,
} from '@nats-io/jetstream';
import { connect, headers, type NatsConnection, nanos } from '@nats-io/transport-node';
import { createHandleOnce, RetryableError, TerminalError } from 'handle-once';
import { onceEach, type OnceEachEvent, type OnceEachHandler } from 'handle-once/adapter';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { consume, jetStreamCalls } from '../../examples/adapters/nats-jetstream.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { serviceUrl } from '../support/service-url.ts';
import { records } from './support/records.ts';
import { until } from '../support/until.ts';

const servers = await serviceUrl('nats');

const Order = z.object({ id: z.string() });
type Charge = OnceEachHandler<z.infer<typeof Order>, JsMsg>;

describe('nats-jetstream.ts', () => {
  const { sql } = useDatabase();

  async function connected(): Promise<NatsConnection> {
    const connection = await connect({ servers });
    onTestFinished(() => connection.close());
    return connection;
  }

  /** A stream of `<name>.orders` and one of `failed.<name>`, with a consumer of the first. */
  async function createStream({ ackWaitMs = 30_000, duplicateWindowMs = 60_000 } = {}) {
    const stream = `test-${randomBytes(6).toString('hex')}`;
    const subject = `${stream}.orders`;
    const failedSubject = `failed.${stream}`;
    const connection = await connected();
    const manager = await jetstreamManager(connection);
    const storage = StorageType.Memory;
    const duplicate_window = nanos(duplicateWindowMs);
    await manager.streams.add({ name: stream, subjects: [subject], storage, duplicate_window });
    await manager.streams.add({ name: `failed-${stream}`, subjects: [failedSubject], storage });
    await manager.consumers.add(stream, {
      durable_name: 'billing',
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
    });
    onTestFinished(async () => {
      await Promise.all([manager.streams.delete(stream), manager.streams.delete(`failed-${stream}`)]);
    });
    return { stream, failedSubject, manager, ...publisher(connection, subject) };
  }

  function publisher(connection: NatsConnection, subject: string) {
    const js = jetstream(connection);
    return {
      js,
      publish: (id: string, options = {}) => js.publish(subject, JSON.stringify({ id }), options),
    };
  }

  /** A worker as the comment of the example has it, with a connection of its own. */
  async function startWorker(
    { stream, failedSubject }: { stream: string; failedSubject: string },
    charge: Charge,
    concurrency = 2,
  ) {
    const connection = await connected();
    const js = jetstream(connection);
    const consumer = await js.consumers.get(stream, 'billing');
    const handleOnce = createHandleOnce({ sql, scope: 'billing', leaseMs: 2_000, backoff: () => 300 });
    const events: OnceEachEvent[] = [];
    const calls = await jetStreamCalls({ connection, js, consumer, failedSubject });
    const handle = onceEach(
      { handleOnce, schema: Order, ...calls, onEvent: (event) => events.push(event) },
      charge,
    );
    const stopping = new AbortController();
    const ended = consume(consumer, handle, { concurrency, stop: stopping.signal });
    ended.catch(() => undefined);
    const stop = () => {
      stopping.abort();
      return ended;
    };
    onTestFinished(async () => {
      stopping.abort();
      await connection.close(); // which ends the pulls at once
      await ended.catch(() => undefined);
    });
    return { connection, consumer, events, stop, ended };
  }

  async function expectNothingLeft(consumer: Consumer): Promise<void> {
    await expect
      .poll(() => consumer.info(), { timeout: 10_000 })
      .toMatchObject({ num_pending: 0, num_ack_pending: 0 });
  }

  it('handles an order once that is published twice under one id', async () => {
    const stream = await createStream({ duplicateWindowMs: 100 });
    const charge = vi.fn<Charge>();
    const { consumer, events } = await startWorker(stream, charge);
    await stream.publish('order-1', { msgID: 'order-1' });
    await until(async () => !(await stream.publish('order-1', { msgID: 'order-1' })).duplicate);
    await until(() => events.length >= 3);
    await expectNothingLeft(consumer);
    expect(charge).toHaveBeenCalledOnce();
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['acknowledged', 'replayed']));
    expect((await records(sql)).find(({ key }) => key === `${stream.stream}/id/order-1`)).toMatchObject({
      state: 'succeeded',
    });
  });

  it('does not run an order again that is delivered again while it runs', async () => {
    const stream = await createStream({ ackWaitMs: 1_000 });
    const end = gate();
    const charge = vi.fn<Charge>(() => end.opened);
    const first = await startWorker(stream, charge);
    await stream.publish('order-2');
    await until(() => charge.mock.calls.length === 1);
    await first.connection.close();
    const second = await startWorker(stream, charge);
    const kept = { type: 'kept', reason: 'in-flight' };
    await vi.waitFor(() => {
      expect(second.events).toContainEqual(expect.objectContaining(kept));
    }, 10_000);
    end.open();
    await vi.waitUntil(() => second.events.some(({ type }) => type === 'replayed'), 10_000);
    await expectNothingLeft(second.consumer);
    await expect(first.ended).rejects.toThrow('closed connection');
    expect(charge).toHaveBeenCalledOnce();
    expect(second.events).toContainEqual(expect.objectContaining({ type: 'replayed', state: 'succeeded' }));
  });

  it('keeps an order while it runs for longer than the ack wait', async () => {
    const stream = await createStream({ ackWaitMs: 600 });
    const charge = vi.fn<Charge>(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
    const { consumer, events } = await startWorker(stream, charge);
    await stream.publish('order-3');
    await vi.waitUntil(() => events.length > 0, 10_000);
    await expectNothingLeft(consumer);
    expect(events.map(({ type }) => type)).toEqual(['acknowledged']);
    expect((await consumer.info()).delivered.consumer_seq).toBe(1);
  });

  it('has an order delivered again after the delay that its error asks for', async () => {
    const stream = await createStream();
    const deliveries: number[] = [];
    const { consumer, events } = await startWorker(stream, (_, { message }) => {
      deliveries.push(message.info.deliveryCount);
      if (deliveries.length === 1) throw new RetryableError('rate limited', { retryAfterMs: 400 });
    });
    await stream.publish('order-4');
    await vi.waitUntil(() => events.length >= 2, 10_000);
    await expectNothingLeft(consumer);
    expect(deliveries).toEqual([1, 2]);
    expect(events).toMatchObject([
      { type: 'kept', reason: 'released', retryAfterMs: expect.closeTo(400, -3) as number },
      { type: 'acknowledged' },
    ]);
  });

  it('publishes an order that failed for good to another subject, with its headers', async () => {
    const stream = await createStream();
    const { consumer, events } = await startWorker(stream, () => {
      throw new TerminalError('the card\nis blocked');
    });
    const given = headers();
    given.set('trace', 'abc');
    const { seq } = await stream.publish('order-5', {
      headers: given,
      msgID: 'order-5',
      expect: { streamName: stream.stream },
    });
    await vi.waitUntil(() => events.length >= 2, 10_000);
    await expectNothingLeft(consumer);
    const copy = await stream.manager.streams.getMessage(`failed-${stream.stream}`, {
      last_by_subj: stream.failedSubject,
    });
    expect(copy?.json()).toEqual({ id: 'order-5' });
    expect(Object.fromEntries(copy?.header ?? [])).toEqual({
      trace: ['abc'],
      'handle-once-scope': ['billing'],
      'handle-once-key': [`${stream.stream}/id/order-5`],
      'handle-once-error': ['TerminalError: the card is blocked'],
      'handle-once-attempts': ['1'],
      'Nats-Msg-Id': [`failed/${stream.stream}/${seq}`],
    });
    expect(events).toMatchObject([
      { type: 'dead-lettered', to: stream.failedSubject },
      { type: 'acknowledged' },
    ]);
  });

  it('waits at a stop for what runs, and leaves the rest to the next worker', async () => {
    const stream = await createStream();
    const end = gate();
    const charge = vi.fn<Charge>(() => end.opened);
    const worker = await startWorker(stream, charge, 2);
    for (const id of ['a', 'b', 'c']) await stream.publish(id);
    await until(() => charge.mock.calls.length === 2);
    let isOver = false;
    const stopped = worker.stop().then(() => {
      isOver = true;
    });
    await stream.publish('d');
    expect(isOver).toBe(false);
    end.open();
    await stopped;
    expect(charge).toHaveBeenCalledTimes(2);
    const { consumer } = await startWorker(stream, charge);
    await until(() => charge.mock.calls.length === 4);
    await expectNothingLeft(consumer);
    expect(charge.mock.calls.map(([{ id }]) => id).sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});
