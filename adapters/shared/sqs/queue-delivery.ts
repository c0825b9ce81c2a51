import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import {
  type FingerprintOptions,
  type Kernel,
  createTrial,
  type DeadLetterFacts,
  type Delivery,
  type EventSink,
  type HandlingEvent,
  type Hold,
  type Kept,
  meaningOf,
} from '../../../src/adapter-kit.ts';
import type { WarningEvent } from '../warn.ts';
import type { AnyHandleOnce, MessageSource } from '../../../src/index.ts';
import { type CopyForm, originalOf, withOriginals, receivedForm } from './copy-identity.ts';
import { receivedSource } from './message-source.ts';
import { createDeferredCheck, type DeferredInGroup } from './deferred-in-group.ts';
import type { Queue } from './queue.ts';
import { createSendDeadLetter } from './send-dead-letter.ts';
import { deliverInTurn, type Turn } from '../deliver-in-turn.ts';

/** How one family of consumers has the messages of a queue. */
export interface MessageForm<Message> extends CopyForm<Message> {
  bodyOf(message: Message): string;
  sourceOf(message: Message): MessageSource;
  /** What its attempts have in addition to what all attempts have. */
  onAttempt(message: Message): object;
}

type Handler<R> = (payload: never, attempt: never, ...extra: never[]) => R | PromiseLike<R>;

/** Where dead letters go. */
interface DeadLetterQueue {
  readonly deadLetterQueueUrl: string;
}

export interface QueueDeliveryOptions<
  Message,
  R,
  To extends DeadLetterQueue = DeadLetterQueue,
> extends FingerprintOptions<string, [message: Message]> {
  readonly kernel: Kernel;
  readonly handleOnce: AnyHandleOnce;
  readonly form: MessageForm<Message>;
  readonly key: (message: Message) => string | undefined;
  readonly parse: (body: string) => unknown;
  readonly handler: Handler<R>;
  readonly onFailed?: 'acknowledge' | 'keep' | To | undefined;
  /** Sends a dead letter. Resolves with the names of those of our attributes that it was sent without. */
  readonly sendDeadLetter: (message: Message, facts: DeadLetterFacts, to: To) => Promise<readonly string[]>;
  readonly emit: (event: Parameters<Delivery<R>['emit']>[0], message: Message) => void;
  /** Its name. Undefined: the queue keeps no order. */
  readonly fifoQueueOf: (message: Message) => string | undefined;
  readonly warnings: Pick<EventSink<DeferredInGroup>, 'emit'>;
}

/** What a message is delivered with. */
export interface DeliveryContext {
  readonly signal?: AbortSignal | undefined;
  /** Of a message that stands in a lane, or has a seat in a batch. */
  readonly turn?: Turn | undefined;
  /** Asked before a dead letter: whether no other worker can have the message. */
  readonly hold?: Pick<Hold, 'isOurs'>;
  /** Called when the store has given us the message and its handler starts. */
  readonly onStart?: () => void;
  /** Called when the handler has ended, before that is on record. */
  readonly onHandled?: () => void;
}

/** Handles the messages of a queue, in whatever form and way they come. */
export function createQueueDelivery<Message, R, To extends DeadLetterQueue>(
  options: QueueDeliveryOptions<Message, R, To>,
) {
  const { kernel, handleOnce, form, parse, onFailed = 'keep', sendDeadLetter, emit } = options;
  const handler = options.handler as unknown as Delivery<R>['handler'];
  const { scope } = handleOnce.settings;
  const trial = createTrial();
  const key = withOriginals(trial.wrap('key', options.key), scope, form);
  const compared = trial.fingerprint(options);
  const checkDeferred = createDeferredCheck(options.warnings);

  /** What a message is to the engine. The body is compared as it is, and parsed only by the delivery that runs. */
  function identityOf(message: Message): Pick<Delivery<R>, 'key' | 'content' | 'fingerprint' | 'message'> {
    return {
      key: () => key(message),
      content: () => form.bodyOf(message),
      fingerprint: compared,
      message: originalOf(message, scope, form),
    };
  }

  function failedChoice(message: Message, hold: DeliveryContext['hold']): Delivery<R>['onFailed'] {
    if (typeof onFailed === 'string') return onFailed;
    return {
      to: onFailed.deadLetterQueueUrl,
      mayBeSent: hold && (() => hold.isOurs()),
      send: async (facts) => ({ droppedAttributes: await sendDeadLetter(message, facts, onFailed) }),
    };
  }

  return {
    /**
     * Handles a message once, and dead-letters it where its outcome asks for that. It never throws. `not-started`: it
     * did not get its turn, and nothing ran.
     */
    async deliver(message: Message, { signal, turn, hold, onStart, onHandled }: DeliveryContext) {
      const run = (turn?.seat?.handler ?? handler) as typeof handler;
      const delivery: Delivery<R> = {
        ...identityOf(message),
        parse: () => parse(form.bodyOf(message)),
        async handler(payload, attempt, ...extra) {
          onStart?.();
          try {
            return await run(payload, Object.assign(attempt, form.onAttempt(message)), ...extra);
          } finally {
            onHandled?.();
          }
        },
        signal,
        source: () => form.sourceOf(message),
        onFailed: failedChoice(message, hold),
        emit(event) {
          emit(event, message);
        },
      };
      const delivered = await deliverInTurn(kernel, delivery, turn);
      const queue = options.fifoQueueOf(message);
      if (delivered !== 'not-started' && queue !== undefined) checkDeferred(queue, delivered);
      return delivered;
    },
    /** Tries `key` and `fingerprint` on messages that came together, until they have worked once. */
    look(messages: readonly Message[]): void {
      trial.look(messages, identityOf);
    },
  };
}

export type QueueDelivery<Message, R> = ReturnType<typeof createQueueDelivery<Message, R, DeadLetterQueue>>;

type OfMessageEvent =
  | (HandlingEvent & { readonly messageId: string })
  | WarningEvent<'DEAD_LETTER_ATTRIBUTES_DROPPED'>
  | DeferredInGroup;

/** The same for messages as ReceiveMessage gives them. */
export function createMessageDelivery<R>(
  options: Omit<
    QueueDeliveryOptions<Message, R>,
    'form' | 'sendDeadLetter' | 'emit' | 'fifoQueueOf' | 'warnings'
  >,
  queueUrl: string,
  queue: Pick<Queue, 'send' | 'isFifo' | 'name'>,
  events: Pick<EventSink<OfMessageEvent>, 'emit'>,
) {
  return createQueueDelivery<Message, R, DeadLetterQueue>({
    ...options,
    form: {
      ...receivedForm<Message>(),
      bodyOf: ({ Body = '' }) => Body,
      sourceOf: (message) => receivedSource(queueUrl, message),
      onAttempt: (message) => ({ message }),
    },
    sendDeadLetter: createSendDeadLetter<MessageAttributeValue>(
      (deadLetter) => queue.send(deadLetter),
      events,
    ),
    emit(event, { MessageId: messageId = '' }) {
      events.emit({ ...event, messageId });
    },
    fifoQueueOf: () => (queue.isFifo ? queue.name : undefined),
    warnings: events,
  });
}

/**
 * Milliseconds after which a kept message is to be visible. Undefined where its visibility timeout is to run out: an
 * old receipt handle can still reach a message that another worker holds by now.
 */
export function visibleAfterMs({ reason, retryAfterMs }: Kept<string>): number | undefined {
  return meaningOf(reason).elsewhere === 'maybe' ? undefined : retryAfterMs;
}
