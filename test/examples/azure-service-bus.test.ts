// No server of Microsoft's runs here. The client is scripted: it has the members that the example uses of
// `@azure/service-bus`, and does with them what that client does.
import { createHandleOnce, RetryableError, TerminalError } from 'handle-once';
import { onceEach, type OnceEachEvent, type OnceEachHandler } from 'handle-once/adapter';
import { adapterContract, type AdapterUnderTest } from 'handle-once/contracts';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import {
  consume,
  type ServiceBusDeadLetter,
  type ServiceBusMessage,
  serviceBusCalls,
  type ServiceBusReceiver,
} from '../../examples/adapters/azure-service-bus.ts';
import { gate, unlessAborted } from '../support/gate.ts';
import { until } from '../support/until.ts';

/** What Service Bus does, and refuses by rejecting. */
interface Server {
  readonly complete: (message: ServiceBusMessage) => Promise<void>;
  readonly deadLetter: (message: ServiceBusMessage, options: ServiceBusDeadLetter) => Promise<void>;
  readonly renew: (message: ServiceBusMessage) => Promise<void>;
}

type Handlers = Parameters<ServiceBusReceiver['subscribe']>[0];

class FakeReceiver implements ServiceBusReceiver {
  readonly subscribed: unknown[] = [];
  readonly #server: Server;
  readonly #settled = new WeakSet<ServiceBusMessage>();
  #handlers: Handlers | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  subscribe(handlers: Handlers, options: unknown): { close(): Promise<void> } {
    this.#handlers = handlers;
    this.subscribed.push(options);
    const close = () => {
      this.#handlers = undefined;
      return Promise.resolve();
    };
    return { close };
  }

  /** Resolves when the client takes another message in its place. */
  async deliver(message: ServiceBusMessage): Promise<void> {
    await this.#handlers?.processMessage(message);
  }

  async fail(error: unknown): Promise<void> {
    await this.#handlers?.processError({ error });
  }

  completeMessage(message: ServiceBusMessage): Promise<void> {
    return this.#settle(message, () => this.#server.complete(message));
  }

  deadLetterMessage(message: ServiceBusMessage, options: ServiceBusDeadLetter): Promise<void> {
    return this.#settle(message, () => this.#server.deadLetter(message, options));
  }

  async renewMessageLock(message: ServiceBusMessage): Promise<Date> {
    await this.#server.renew(message);
    return new Date();
  }

  async #settle(message: ServiceBusMessage, call: () => Promise<void>): Promise<void> {
    if (this.#settled.has(message)) throw new Error('the message is already settled');
    await call();
    this.#settled.add(message);
  }
}

function lockLost(): Error {
  return Object.assign(new Error('the lock is lost'), { name: 'ServiceBusError', code: 'MessageLockLost' });
}

const silent = { onEvent: () => undefined };

const adapter: AdapterUnderTest = {
  can: { extend: true, tellsLoss: true, retryLater: false, deadLetter: true, keepFailed: true },
  async handle(scripted, { handleOnce, handler, ackWaitMs, signal, deadLetter }) {
    const receiver = new FakeReceiver({
      complete: () => scripted.acknowledge(),
      // One call, which does both.
      async deadLetter() {
        await deadLetter?.(scripted);
        await scripted.acknowledge();
      },
      async renew() {
        if (!(await scripted.extend())) throw lockLost();
      },
    });
    const calls = serviceBusCalls(receiver, { lockMs: ackWaitMs });
    const onFailed = deadLetter === undefined ? ('keep' as const) : calls.onFailed;
    const handle = onceEach({ handleOnce, ...calls, onFailed, ...silent }, handler);
    const handled = new AbortController();
    const stop = AbortSignal.any([handled.signal, signal]);
    const consumed = consume(receiver, handle, { concurrency: 1, stop });
    await receiver.deliver({ messageId: scripted.id, body: Buffer.from(scripted.body) });
    handled.abort();
    await consumed;
  },
};

describe.concurrent('azure-service-bus.ts, by the contract', () => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});

const Order = z.object({ id: z.string() });
type Charge = OnceEachHandler<z.infer<typeof Order>, ServiceBusMessage>;

const orderOf = (id: string) => Buffer.from(JSON.stringify({ id }));

/** A worker as the comment of the example has it. */
function startWorker(charge: Charge, { lockMs = 60_000, renew = () => Promise.resolve() } = {}) {
  const completed: ServiceBusMessage[] = [];
  const deadLetters: ServiceBusDeadLetter[] = [];
  const receiver = new FakeReceiver({
    complete: (message) => Promise.resolve(void completed.push(message)),
    deadLetter: (_, options) => Promise.resolve(void deadLetters.push(options)),
    renew,
  });
  const events: OnceEachEvent[] = [];
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', backoff: () => 50 });
  const calls = serviceBusCalls(receiver, { lockMs });
  const handle = onceEach(
    { handleOnce, schema: Order, ...calls, onEvent: (event) => events.push(event) },
    charge,
  );
  const stopping = new AbortController();
  const ended = consume(receiver, handle, { concurrency: 2, stop: stopping.signal });
  const stop = () => {
    stopping.abort();
    return ended;
  };
  onTestFinished(stop);
  return { receiver, completed, deadLetters, events, stop };
}

describe('azure-service-bus.ts', () => {
  it('settles messages itself, and takes so many at once', () => {
    const { receiver } = startWorker(() => undefined);
    expect(receiver.subscribed).toEqual([{ autoCompleteMessages: false, maxConcurrentCalls: 2 }]);
  });

  it('handles an order once that is sent twice with one property', async () => {
    const charge = vi.fn<Charge>();
    const { receiver, completed } = startWorker(charge);
    const applicationProperties = { 'idempotency-key': 'order-1' };
    const copies = ['a', 'b'].map((messageId) => ({ messageId, body: orderOf('1'), applicationProperties }));
    for (const copy of copies) await receiver.deliver(copy);
    expect(charge).toHaveBeenCalledOnce();
    expect(completed).toEqual(copies);
  });

  it('tells orders without that property apart by their message id, of any type', async () => {
    const charge = vi.fn<Charge>();
    const { receiver, events, deadLetters } = startWorker(charge);
    const ids = ['a', 7, Buffer.from('ff00', 'hex'), Buffer.from('fe00', 'hex')];
    for (const messageId of ids) await receiver.deliver({ messageId, body: orderOf('1') });
    const applicationProperties = { 'idempotency-key': 'a' };
    await receiver.deliver({ messageId: 'b', body: orderOf('1'), applicationProperties });
    expect(charge).toHaveBeenCalledTimes(5);
    const keys = events.map((event) => ('key' in event ? event.key : ''));
    expect(keys).toEqual(['id/a', 'id/7', 'id/ff00', 'id/fe00', 'key/a']);
    await receiver.deliver({ body: orderOf('1') });
    await receiver.deliver({ messageId: '', body: orderOf('1') });
    expect(charge).toHaveBeenCalledTimes(5);
    expect(deadLetters).toMatchObject([{ deadLetterReason: 'refused' }, { deadLetterReason: 'refused' }]);
  });

  it('dead-letters an order that failed for good, with its error, and settles it once', async () => {
    const { receiver, completed, deadLetters, events } = startWorker(() => {
      throw new TerminalError('the card is blocked');
    });
    await receiver.deliver({ messageId: 'a', body: orderOf('1') });
    expect(deadLetters).toEqual([
      {
        deadLetterReason: 'failed',
        deadLetterErrorDescription: 'TerminalError: the card is blocked',
        'handle-once-scope': 'billing',
        'handle-once-key': 'id/a',
        'handle-once-attempts': 1,
      },
    ]);
    expect(completed).toEqual([]);
    expect(events).toMatchObject([{ type: 'dead-lettered', reason: 'failed' }, { type: 'acknowledged' }]);
  });

  it('tries an order again in its place, whose lock is renewed while it waits', async () => {
    const renew = vi.fn(() => Promise.resolve());
    let tries = 0;
    const charge: Charge = () => {
      tries += 1;
      if (tries === 1) throw new RetryableError('rate limited', { retryAfterMs: 1_200 });
    };
    const { receiver, completed } = startWorker(charge, { lockMs: 3_000, renew });
    await receiver.deliver({ messageId: 'a', body: orderOf('1') });
    expect([tries, completed.length]).toEqual([2, 1]);
    expect(renew).toHaveBeenCalled();
  });

  it('says that a renewal failed, and goes on', async () => {
    const renew = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('no answer'));
    const end = gate();
    const { receiver, completed, events } = startWorker(() => end.opened, { lockMs: 4_500, renew });
    const delivered = receiver.deliver({ messageId: 'a', body: orderOf('1') });
    await until(() => renew.mock.calls.length >= 2);
    end.open();
    await delivered;
    expect(completed).toHaveLength(1);
    expect(events).toMatchObject([
      { type: 'broker-error', verb: 'extend', error: { message: 'no answer' } },
      { type: 'acknowledged' },
    ]);
  });

  it('leaves at a stop what waits and what is interrupted, and waits for the others', async () => {
    const end = gate();
    const started: string[] = [];
    const charge: Charge = ({ id }, { signal }) => {
      started.push(id);
      if (id === 'waits') throw new RetryableError('rate limited', { retryAfterMs: 60_000 });
      return id === 'interrupted' ? unlessAborted(end.opened, signal) : end.opened;
    };
    const { receiver, completed, events, stop } = startWorker(charge);
    const ids = ['waits', 'interrupted', 'runs on'];
    const delivered = ids.map((id) => receiver.deliver({ messageId: id, body: orderOf(id) }));
    await until(() => started.length === 3);
    const stopped = stop();
    await Promise.all(delivered.slice(0, 2));
    expect(events.map(({ type }) => type)).toEqual(['kept', 'kept']);
    end.open();
    await stopped;
    expect(completed.map(({ messageId }) => messageId)).toEqual(['runs on']);
  });

  it('prints an error of the client, which goes on', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => {
      print.mockRestore();
    });
    const error = new Error('the link is detached');
    await startWorker(() => undefined).receiver.fail(error);
    expect(print).toHaveBeenCalledWith('Service Bus:', error);
  });
});
