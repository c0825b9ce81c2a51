/**
 * NATS JetStream, with `onceEach`: copy this file.
 *
 *     const js = jetstream(connection);
 *     const consumer = await js.consumers.get('orders', 'billing');
 *     const calls = await jetStreamCalls({ connection, js, consumer, failedSubject: 'failed.orders' });
 *     const handle = onceEach({ handleOnce, schema: Order, ...calls }, charge);
 *     await consume(consumer, handle, { concurrency: 10, stop: stopping.signal });
 *
 * The consumer pulls, with `ack_policy: explicit`. Leave `max_deliver` out: a delivery that only waits for another
 * worker counts to it. A stream has to take the subject of the failed messages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { errors, headers, millis, type NatsConnection } from '@nats-io/transport-node';
import type { DeadLetterFacts, OnceEach } from 'handle-once/adapter';

const PULL_MS = 2_000;

interface JetStream {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly consumer: Consumer;
  readonly failedSubject: string;
}

export async function jetStreamCalls({ connection, js, consumer, failedSubject }: JetStream) {
  const { config } = await consumer.info();
  return {
    key,
    body: (message: JsMsg) => message.data,
    acknowledge: (message: JsMsg) => message.ackAck(), // the server answers it
    retryLater: (message: JsMsg, delayMs: number) => {
      message.nak(delayMs);
      return connection.flush(); // the server has it
    },
    ackWaitMs: millis(config.ack_wait ?? 30_000_000_000),
    extend: (message: JsMsg) => {
      message.working();
      return connection.flush();
    },
    onFailed: {
      to: failedSubject,
      send: (message: JsMsg, facts: DeadLetterFacts) =>
        js.publish(failedSubject, message.data, {
          headers: failedHeaders(message, facts),
          // The copy that a redelivery sends is dropped by its stream.
          msgID: `failed/${message.info.stream}/${message.seq}`,
        }),
    },
  };
}

/**
 * The id that the publisher gave, under which it may send twice: the stream itself compares ids for two minutes only.
 * Else the place in the stream: one that is made again counts from 1, and needs a new name, or a new scope.
 */
function key({ headers: given, info: { stream }, seq }: JsMsg): string {
  const id = given?.get('Nats-Msg-Id') ?? '';
  return id === '' ? `${stream}/seq/${seq}` : `${stream}/id/${id}`;
}

function failedHeaders(message: JsMsg, { scope, key, errorText, attempts }: DeadLetterFacts) {
  const copy = headers();
  for (const [name, values] of message.headers ?? []) {
    if (name.startsWith('Nats-')) continue; // orders to the server, such as the id that it would drop the copy for
    for (const value of values) copy.append(name, value);
  }
  copy.set('handle-once-scope', scope);
  copy.set('handle-once-key', key);
  copy.set('handle-once-error', errorText.replace(/\s+/g, ' ')); // a header is one line
  copy.set('handle-once-attempts', String(attempts));
  return copy;
}

/**
 * Handles messages until `stop` aborts, and waits for those that run then. Rejects when the connection closes before.
 */
export async function consume(
  consumer: Consumer,
  handle: OnceEach<JsMsg, unknown>,
  { concurrency, stop }: { readonly concurrency: number; readonly stop: AbortSignal },
): Promise<void> {
  const isStopped = () => stop.aborted;
  async function lane(): Promise<void> {
    while (!isStopped()) {
      const message = await next(consumer);
      // With an aborted signal it is returned at once: it was on its way when we stopped.
      if (message !== null) await handle(message, isStopped() ? { signal: stop } : {});
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: concurrency }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
}

async function next(consumer: Consumer): Promise<JsMsg | null> {
  try {
    return await consumer.next({ expires: PULL_MS });
  } catch (error) {
    if (error instanceof errors.ClosedConnectionError) throw error;
    console.error('NATS gives no message:', error); // a server that restarts, a consumer that is away
    await sleep(PULL_MS);
    return null;
  }
}
