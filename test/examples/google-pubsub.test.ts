// No server of Google's runs here. The client is scripted: it has the members that the example uses of
// `@google-cloud/pubsub`, and does with them what that client does.
import { EventEmitter } from 'node:events';
import { createHandleOnce, TerminalError } from 'handle-once';
import { onceEach, type OnceEachEvent, type OnceEachHandler } from 'handle-once/adapter';
import { adapterContract, type AdapterUnderTest } from 'handle-once/contracts';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import {
  consume,
  pubSubCalls,
  type PubSubMessage,
  type PubSubSubscription,
} from '../../examples/adapters/google-pubsub.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';

/** What Pub/Sub does with a message that the client has acknowledged, or returned. */
interface Server {
  readonly ack: (message: FakeMessage) => Promise<void>;
  readonly nack: (message: FakeMessage) => Promise<void>;
}

interface Published {
  readonly id: string;
  readonly data: Buffer;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly received?: number;
  readonly deliveryAttempt?: number;
}

/** Its first call counts. With exactly-once delivery later ones are answered, and reach no server. */
class FakeMessage implements PubSubMessage {
  readonly id: string;
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  readonly received: number;
  readonly deliveryAttempt: number;
  readonly #server: Server;
  #isHandled = false;

  constructor(
    server: Server,
    { id, data, attributes = {}, received = Date.now(), deliveryAttempt = 1 }: Published,
  ) {
    this.id = id;
    this.data = data;
    this.attributes = attributes;
    this.received = received;
    this.deliveryAttempt = deliveryAttempt;
    this.#server = server;
  }

  ackWithResponse(): Promise<string> {
    return this.#call(this.#server.ack);
  }

  nackWithResponse(): Promise<string> {
    return this.#call(this.#server.nack);
  }

  async #call(call: (message: FakeMessage) => Promise<void>): Promise<string> {
    if (this.#isHandled) return 'INVALID';
    this.#isHandled = true;
    await call(this);
    return 'SUCCESS';
  }
}

/** Returns what it holds when it closes, as the client does without `closeOptions`. */
class FakeSubscription extends EventEmitter implements PubSubSubscription {
  readonly #server: Server;
  readonly #held: FakeMessage[] = [];
  isOpen = true;

  constructor(server: Server) {
    super();
    this.#server = server;
  }

  deliver(published: Published): void {
    if (!this.isOpen) return;
    const message = new FakeMessage(this.#server, published);
    this.#held.push(message);
    process.nextTick(() => {
      if (this.isOpen) this.emit('message', message);
    });
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await Promise.all(this.#held.map((message) => message.nackWithResponse()));
    this.emit('close');
  }
}

const silent = { onEvent: () => undefined };

const adapter: AdapterUnderTest = {
  can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: false, keepFailed: true },
  async handle(scripted, { handleOnce, handler, ackWaitMs, signal }) {
    const told = new AbortController();
    const after = (call: () => Promise<void>) => () =>
      call().finally(() => {
        told.abort();
      });
    const subscription = new FakeSubscription({
      ack: after(() => scripted.acknowledge()),
      nack: after(() => scripted.retryLater()),
    });
    const handle = onceEach({ handleOnce, ...pubSubCalls, ackWaitMs, ...silent }, handler);
    const consumed = consume(subscription, handle, AbortSignal.any([told.signal, signal]));
    subscription.deliver({ id: scripted.id, data: Buffer.from(scripted.body) });
    await consumed;
  },
};

describe.concurrent('google-pubsub.ts, by the contract', () => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});

const Order = z.object({ id: z.string() });
type Charge = OnceEachHandler<z.infer<typeof Order>, PubSubMessage>;

/** A subscription with a retry policy and a dead letter policy. */
function createSubscription({ maxDeliveryAttempts = 100, ack = () => Promise.resolve() } = {}) {
  const acknowledged: string[] = [];
  const deadLetters: FakeMessage[] = [];
  const subscription = new FakeSubscription({
    async ack({ id }) {
      await ack();
      acknowledged.push(id);
    },
    nack(message) {
      const { id, data, attributes, deliveryAttempt } = message;
      if (deliveryAttempt === maxDeliveryAttempts) deadLetters.push(message);
      else {
        setTimeout(() => {
          subscription.deliver({ id, data, attributes, deliveryAttempt: deliveryAttempt + 1 });
        }, 10);
      }
      return Promise.resolve();
    },
  });
  return { subscription, acknowledged, deadLetters };
}

const orderOf = (id: string) => Buffer.from(JSON.stringify({ id }));

/** A worker as the comment of the example has it. */
function startWorker(subscription: FakeSubscription, charge: Charge, store = createMemoryStore()) {
  const events: OnceEachEvent[] = [];
  const handleOnce = createHandleOnce({ store, scope: 'billing', backoff: () => 0 });
  const handle = onceEach(
    { handleOnce, schema: Order, ...pubSubCalls, onEvent: (event) => events.push(event) },
    charge,
  );
  const stopping = new AbortController();
  const ended = consume(subscription, handle, stopping.signal);
  ended.catch(() => undefined);
  const stop = () => {
    stopping.abort();
    return ended;
  };
  onTestFinished(() => stop().catch(() => undefined));
  return { events, stop, ended };
}

describe('google-pubsub.ts', () => {
  it('handles an order once that is published twice with one attribute', async () => {
    const { subscription, acknowledged } = createSubscription();
    const charge = vi.fn<Charge>();
    startWorker(subscription, charge);
    const published = { data: orderOf('1'), attributes: { 'idempotency-key': 'order-1' } };
    subscription.deliver({ id: '101', ...published });
    subscription.deliver({ id: '102', ...published });
    await until(() => acknowledged.length === 2);
    expect(charge).toHaveBeenCalledOnce();
  });

  it('tells orders without that attribute apart by the id of Pub/Sub', async () => {
    const { subscription, acknowledged } = createSubscription();
    const charge = vi.fn<Charge>();
    const { events } = startWorker(subscription, charge);
    const empty = { 'idempotency-key': '' };
    subscription.deliver({ id: '101', data: orderOf('1') });
    subscription.deliver({ id: '102', data: orderOf('1'), attributes: empty });
    subscription.deliver({ id: '103', data: orderOf('1'), attributes: { 'idempotency-key': '101' } });
    await until(() => acknowledged.length === 3);
    expect(charge).toHaveBeenCalledTimes(3);
    const keys = events.map((event) => ('key' in event ? event.key : ''));
    expect(keys.sort()).toEqual(['id/101', 'id/102', 'key/101']);
  });

  it('returns an order that failed for good until the dead letter policy takes it', async () => {
    const { subscription, acknowledged, deadLetters } = createSubscription({ maxDeliveryAttempts: 5 });
    const charge = vi.fn<Charge>(() => {
      throw new TerminalError('the card is blocked');
    });
    startWorker(subscription, charge);
    subscription.deliver({ id: '101', data: orderOf('1') });
    await until(() => deadLetters.length === 1);
    expect(charge).toHaveBeenCalledOnce();
    expect(deadLetters[0]).toMatchObject({ id: '101', deliveryAttempt: 5 });
    expect(acknowledged).toEqual([]);
  });

  it('says that an acknowledgement was refused, and answers the next delivery from the record', async () => {
    const ack = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('PERMISSION_DENIED'));
    const { subscription, acknowledged } = createSubscription({ ack });
    const charge = vi.fn<Charge>();
    const { events } = startWorker(subscription, charge);
    subscription.deliver({ id: '101', data: orderOf('1') });
    await until(() => events.length === 2);
    subscription.deliver({ id: '101', data: orderOf('1'), deliveryAttempt: 2 });
    await until(() => acknowledged.length === 1);
    expect(charge).toHaveBeenCalledOnce();
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'broker-error', verb: 'acknowledge', error: { message: 'PERMISSION_DENIED' } },
      { type: 'kept', reason: 'broker-error' },
    ]);
  });

  it('does not touch an order that the client has held for as long as it extends deadlines', async () => {
    const { subscription, acknowledged } = createSubscription();
    const charge = vi.fn<Charge>();
    const { events } = startWorker(subscription, charge);
    subscription.deliver({
      id: '101',
      data: orderOf('1'),
      received: Date.now() - pubSubCalls.ackWaitMs,
    });
    await until(() => events.length === 1);
    expect(events).toMatchObject([{ type: 'kept', reason: 'lapsed' }]);
    expect([charge.mock.calls, acknowledged]).toEqual([[], []]);
  });

  it('waits at a stop for what runs, and the next worker answers it from its record', async () => {
    const first = createSubscription();
    const store = createMemoryStore();
    const end = gate();
    const charge = vi.fn<Charge>(() => end.opened);
    const { events, stop } = startWorker(first.subscription, charge, store);
    first.subscription.deliver({ id: '101', data: orderOf('1') });
    await until(() => charge.mock.calls.length === 1);
    let isOver = false;
    const stopped = stop().then(() => {
      isOver = true;
    });
    await until(() => !first.subscription.isOpen);
    expect(isOver).toBe(false);
    end.open();
    await stopped;
    expect(events).toMatchObject([
      { type: 'broker-error', verb: 'acknowledge', error: { message: 'Pub/Sub did not take it: INVALID' } },
      { type: 'kept', reason: 'broker-error' },
    ]);
    const second = createSubscription();
    startWorker(second.subscription, charge, store);
    second.subscription.deliver({ id: '101', data: orderOf('1'), deliveryAttempt: 2 });
    await until(() => second.acknowledged.length === 1);
    expect(charge).toHaveBeenCalledOnce();
  });

  it('rejects when the subscription fails, once what runs has ended', async () => {
    const { subscription } = createSubscription();
    const end = gate();
    const charge = vi.fn<Charge>(() => end.opened);
    const { ended, events } = startWorker(subscription, charge);
    subscription.deliver({ id: '101', data: orderOf('1') });
    await until(() => charge.mock.calls.length === 1);
    subscription.emit('error', new Error('NOT_FOUND'));
    await until(() => !subscription.isOpen);
    const failed = expect(ended).rejects.toThrow('NOT_FOUND');
    expect(events).toEqual([]);
    end.open();
    await failed;
    expect(events).not.toEqual([]);
  });
});
