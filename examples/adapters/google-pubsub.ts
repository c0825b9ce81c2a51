/**
 * Google Pub/Sub, with `onceEach`: copy this file. No server of Google's has run it: its tests script the client.
 *
 * const subscription = pubsub.subscription('orders-billing', { flowControl: { maxMessages: 10 } }); const handle =
 * onceEach({ handleOnce, schema: Order, ...pubSubCalls }, charge); await consume(subscription, handle,
 * stopping.signal);
 *
 * Give the subscription a retry policy, with a `minimumBackoff`: the client has no way to say when a message is to come
 * again, and without a policy it comes at once. An order of messages (`orderingKey`) is not kept.
 *
 * Messages that failed permanently are left to the dead letter policy of the subscription: they are returned at each
 * delivery, without another run, until its `maxDeliveryAttempts`. A delivery that only waits counts to it: set 100,
 * which is the most. To send them at once, and with their error, publish a copy in `onFailed: { to, send }`, and leave
 * that policy out.
 */
import type { HandledMessage, OnceEach } from 'handle-once/adapter';

/** What is used of a `Message` of `@google-cloud/pubsub`. */
export interface PubSubMessage {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly data: Buffer;
  /** `Date.now()` of when it came. */
  readonly received: number;
  ackWithResponse(): Promise<string>;
  nackWithResponse(): Promise<string>;
}

/** What is used of a `Subscription`. */
export interface PubSubSubscription {
  on(event: 'message', listener: (message: PubSubMessage) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'close', listener: () => void): this;
  close(): Promise<void>;
}

const KEY_ATTRIBUTE = 'idempotency-key';

export const pubSubCalls = {
  key,
  body: (message: PubSubMessage) => message.data,
  // Pub/Sub answers with exactly-once delivery only. Else it may be lost: the message comes again, and has its record.
  acknowledge: (message: PubSubMessage) => taken(message.ackWithResponse()),
  // After which delay it comes again is up to the retry policy.
  retryLater: (message: PubSubMessage) => taken(message.nackWithResponse()),
  // The client extends the deadline of a message until its `maxExtensionTime`, by default an hour. Have it longer than
  // the longest run and the lease: after it another worker gets the message, and this one does not touch it any more.
  ackWaitMs: 3_600_000,
  onFailed: 'keep',
} as const;

/**
 * The attribute that the producer sets, under which it may publish twice. Else the id that Pub/Sub gives: the same at
 * each delivery, but a new one each time that the producer publishes, so what is published twice runs twice.
 */
function key({ attributes, id }: PubSubMessage): string {
  const given = attributes[KEY_ATTRIBUTE] ?? '';
  return given === '' ? `id/${id}` : `key/${given}`;
}

/** Its deadline is over, or the client has returned the message since it closed: it comes again. */
async function taken(response: Promise<string>): Promise<void> {
  const answer = await response;
  if (answer !== 'SUCCESS') throw new Error(`Pub/Sub did not take it: ${answer}`);
}

/**
 * Handles messages until `stop` aborts, and waits for those that run then: the client returns them to Pub/Sub when it
 * closes, unless its `closeOptions` have it wait, and they are answered from their records. Rejects when the
 * subscription fails.
 */
export async function consume(
  subscription: PubSubSubscription,
  handle: OnceEach<PubSubMessage, unknown>,
  stop: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<HandledMessage<unknown>>>();
  subscription.on('message', (message) => {
    const handled = handle(message, { receivedAt: message.received });
    running.add(handled);
    void handled.then(() => running.delete(handled));
  });
  try {
    await ended(subscription, stop);
  } finally {
    await subscription.close();
    await Promise.all(running);
  }
}

/** The client opens its streams again by itself: after an error of the subscription it does not. */
function ended(subscription: PubSubSubscription, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      resolve();
    };
    subscription.on('error', reject).on('close', end);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  });
}
