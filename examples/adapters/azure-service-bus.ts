/**
 * Azure Service Bus, with `onceEach`: copy this file. No server of Microsoft's has run it: its tests script the client.
 *
 *     const options = { maxAutoLockRenewalDurationInMs: 0, skipParsingBodyAsJson: true };
 *     const receiver = client.createReceiver('orders', options); // or of a subscription of a topic
 *     const calls = serviceBusCalls(receiver, { lockMs: 60_000 }); // the lock duration of the queue
 *     const handle = onceEach({ handleOnce, schema: Order, ...calls }, charge);
 *     await consume(receiver, handle, { concurrency: 10, stop: stopping.signal });
 *
 * A message that is to be tried again is never abandoned: Service Bus has no delay for that, and would deliver it at
 * once and count it, until it is in the dead letters while its record is pending. So it waits in its place, with its
 * lock renewed, and is tried again there. What has to wait for longer than `patienceMs` is left until its lock ends,
 * which counts too: set `maxDeliveryCount` of the queue to 1,000. Its default is 10.
 *
 * Locks are renewed here for as long as a message is handled. The client's own renewal is off: it ends after five
 * minutes, and knows a message by its `messageId`, so two messages with one id end each other's.
 */
import { once } from 'node:events';
import type { DeadLetterFacts, OnceEach } from 'handle-once/adapter';

/** What is used of a `ServiceBusReceivedMessage` of `@azure/service-bus`. */
export interface ServiceBusMessage {
  /** With `skipParsingBodyAsJson` the bytes, unless its sender made it of another AMQP type. */
  readonly body: unknown;
  readonly messageId?: string | number | Buffer;
  readonly applicationProperties?: Readonly<Record<string, unknown>>;
}

/** Where a message is in the dead letters, and more properties of it. */
export interface ServiceBusDeadLetter {
  readonly deadLetterReason: string;
  readonly deadLetterErrorDescription: string;
  readonly [property: string]: string | number;
}

/** What is used of a `ServiceBusReceiver` in the mode `peekLock`, which is the default. */
export interface ServiceBusReceiver {
  subscribe(
    handlers: {
      processMessage(message: ServiceBusMessage): Promise<void>;
      processError(args: { readonly error: unknown }): Promise<void>;
    },
    options: { readonly autoCompleteMessages: boolean; readonly maxConcurrentCalls: number },
  ): { close(): Promise<void> };
  completeMessage(message: ServiceBusMessage): Promise<void>;
  deadLetterMessage(message: ServiceBusMessage, options: ServiceBusDeadLetter): Promise<void>;
  renewMessageLock(message: ServiceBusMessage): Promise<Date>;
}

const KEY_PROPERTY = 'idempotency-key';

/** `lockMs` is the lock duration of the queue. One above the lease spares deliveries after a worker has died. */
export function serviceBusCalls(receiver: ServiceBusReceiver, { lockMs }: { readonly lockMs: number }) {
  const inDeadLetters = new WeakSet<ServiceBusMessage>();
  return {
    key,
    body: (message: ServiceBusMessage) => message.body,
    // A message in the dead letters is settled: Service Bus would refuse to complete it.
    acknowledge: (message: ServiceBusMessage) =>
      inDeadLetters.has(message) ? undefined : receiver.completeMessage(message),
    ackWaitMs: lockMs,
    extend: (message: ServiceBusMessage) => isRenewed(receiver.renewMessageLock(message)),
    onFailed: {
      to: 'the dead-letter queue',
      async send(message: ServiceBusMessage, facts: DeadLetterFacts) {
        await receiver.deadLetterMessage(message, deadLetter(facts));
        inDeadLetters.add(message);
      },
    },
  };
}

/**
 * The property that the producer sets, under which it may send twice. Else the `messageId`: it is the same at each
 * delivery, but a producer that does not set it may have a new one made each time that it sends. Without any, or with
 * one that is empty, the message goes to the dead letters.
 */
function key({ applicationProperties, messageId = '' }: ServiceBusMessage): string | undefined {
  const given = applicationProperties?.[KEY_PROPERTY];
  if (typeof given === 'string' && given !== '') return `key/${given}`;
  const id = Buffer.isBuffer(messageId) ? messageId.toString('hex') : String(messageId);
  return id === '' ? undefined : `id/${id}`;
}

/** False when the lock is lost: another worker may have the message. */
async function isRenewed(renewal: Promise<Date>): Promise<boolean> {
  try {
    await renewal;
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'MessageLockLost') return false;
    throw error;
  }
}

function deadLetter({ scope, key, errorText, attempts }: DeadLetterFacts): ServiceBusDeadLetter {
  return {
    deadLetterReason: attempts === 0 ? 'refused' : 'failed',
    deadLetterErrorDescription: errorText,
    'handle-once-scope': scope,
    'handle-once-key': key,
    'handle-once-attempts': attempts,
  };
}

/**
 * Handles messages until `stop` aborts. That ends what waits, and interrupts handlers that look at `attempt.signal`:
 * their messages come again when their locks end. It waits for the others.
 */
export async function consume(
  receiver: ServiceBusReceiver,
  handle: OnceEach<ServiceBusMessage, unknown>,
  { concurrency, stop }: { readonly concurrency: number; readonly stop: AbortSignal },
): Promise<void> {
  const running = new Set<Promise<void>>();
  const subscription = receiver.subscribe(
    {
      processMessage(message) {
        const handled = handle(message, { signal: stop }).then(() => {
          running.delete(handled);
        });
        running.add(handled);
        return handled;
      },
      processError({ error }) {
        console.error('Service Bus:', error); // the client goes on
        return Promise.resolve();
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls: concurrency },
  );
  if (!stop.aborted) await once(stop, 'abort');
  await subscription.close(); // nothing more comes, and what runs can still be settled
  await Promise.all(running);
}
