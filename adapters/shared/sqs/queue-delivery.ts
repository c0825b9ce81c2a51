import {
  createTrial,
  type Delivery,
  type EventSink,
  fingerprintOnTrial,
  fingerprintOptionsFor,
  type Kept,
  meaningOf,
} from '../../../src/adapter-kit.ts';
import { type AnyHandleOnce, type FingerprintOptions } from '../../../src/index.ts';
import { originalOf, receivedForm, withOriginals } from './copy-identity.ts';
import type { MeasurableAttribute } from './dead-letter-attributes.ts';
import { createDroppedAttributesWarning, type DroppedAttributesWarning } from './dropped-attributes.ts';
import { type Received, receivedSource } from './message-source.ts';
import type { SqsOnFailed, QueueAttempt } from './queue-options.ts';
import { type Original, sendDeadLetter, type SendDeadLetter } from './send-dead-letter.ts';

export interface QueueDeliveryOptions<Message, R> extends FingerprintOptions<string, [message: Message]> {
  readonly handleOnce: AnyHandleOnce;
  readonly queueUrl: string;
  readonly key: (message: Message) => string | undefined;
  readonly parse: (body: string) => unknown;
  readonly handler: (payload: never, attempt: QueueAttempt<Message>, ...extra: never[]) => R | PromiseLike<R>;
  readonly onFailed?: SqsOnFailed | undefined;
}

/** What a message of a queue is to the engine, what handles it, and where it goes when it failed for good. */
export type QueueDelivery<R> = Pick<
  Delivery<R>,
  'key' | 'content' | 'fingerprint' | 'parse' | 'handler' | 'source' | 'onFailed'
>;

export interface QueueDeliveryOf<Message, R> {
  /**
   * The body is compared as it is, and parsed only by the delivery that runs. `mayBeSent` is asked before a dead
   * letter.
   */
  (message: Message, mayBeSent?: () => boolean): QueueDelivery<R>;
  /** Tries `key` and `fingerprint` on messages that came together, until they have worked once. */
  readonly look: (messages: readonly Message[]) => void;
}

export function createQueueDelivery<
  Attribute extends MeasurableAttribute,
  Message extends Original<Attribute> & Received,
  R,
>(
  options: QueueDeliveryOptions<Message, R>,
  send: SendDeadLetter<Attribute>,
  events: Pick<EventSink<DroppedAttributesWarning & { readonly type: 'warning' }>, 'emit'>,
): QueueDeliveryOf<Message, R> {
  const { handleOnce, queueUrl, parse, handler, onFailed = 'keep' } = options;
  const { scope } = handleOnce.settings;
  const form = receivedForm<Message>();
  const trial = createTrial();
  const key = withOriginals(trial.wrap('key', options.key), scope, form);
  const compared = fingerprintOnTrial(trial, options);
  const warnDropped = createDroppedAttributesWarning(events);

  function failedChoice(message: Message, mayBeSent?: () => boolean): Delivery<unknown>['onFailed'] {
    if (typeof onFailed === 'string') return onFailed;
    const { deadLetterQueueUrl } = onFailed;
    return {
      to: deadLetterQueueUrl,
      mayBeSent,
      async send(facts) {
        const droppedAttributes = await sendDeadLetter(message, facts, deadLetterQueueUrl, send);
        warnDropped(droppedAttributes);
        return { droppedAttributes };
      },
    };
  }

  function deliveryOf(message: Message, mayBeSent?: () => boolean): QueueDelivery<R> {
    const { Body = '' } = message;
    return {
      key: () => key(message),
      content: () => Body,
      fingerprint: fingerprintOptionsFor(compared, originalOf(message, scope, form)),
      parse: () => parse(Body),
      handler: (payload, attempt, ...extra) =>
        handler(payload as never, Object.assign(attempt, { message }), ...(extra as never[])),
      source: () => receivedSource(queueUrl, message),
      onFailed: failedChoice(message, mayBeSent),
    };
  }

  function look(messages: readonly Message[]): void {
    trial.look(messages, deliveryOf);
  }

  return Object.assign(deliveryOf, { look });
}

/**
 * Milliseconds after which a kept message is to be visible. Undefined where its visibility timeout is to run out: an
 * old receipt handle can still reach a message that another worker holds by now.
 */
export function visibleAfterMs({ reason, retryAfterMs }: Kept<string>): number | undefined {
  return meaningOf(reason).elsewhere === 'maybe' ? undefined : retryAfterMs;
}
