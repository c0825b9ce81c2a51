import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../reporting/event-sink.ts';
import { brokerCall } from './broker-call.ts';
import type { OnceEachEvent } from './events.ts';

/** The calls of a broker that an adapter has. */
export interface BrokerCalls<Message> {
  readonly acknowledge: (message: Message) => unknown;
  readonly retryLater?: ((message: Message, delayMs: number) => unknown) | undefined;
  readonly extend?: ((message: Message) => unknown) | undefined;
}

export type Told = { readonly done: true } | { readonly done: false; readonly error: unknown };

/** The same calls. They never throw: what fails is an event. */
export interface Broker<Message> {
  acknowledge(message: Message, key: string): Promise<Told>;
  retryLater?: (message: Message, delayMs: number, key: string) => Promise<Told>;
  /** Resolves with false when the message is lost. */
  extend?: (message: Message) => Promise<boolean | 'unanswered'>;
}

export function createBroker<Message>(
  { acknowledge, retryLater, extend }: BrokerCalls<Message>,
  events: EventSink<OnceEachEvent>,
  clock: Clock,
): Broker<Message> {
  type Verb = Extract<OnceEachEvent, { type: 'broker-error' }>['verb'];

  async function tell(
    verb: Verb,
    key: string,
    call: () => unknown,
  ): Promise<Told & { readonly reply?: unknown }> {
    try {
      return { done: true, reply: await brokerCall(clock, call) };
    } catch (error) {
      events.emit({ type: 'broker-error', verb, key, error });
      return { done: false, error };
    }
  }

  return {
    acknowledge: (message, key) => tell('acknowledge', key, () => acknowledge(message)),
    ...(retryLater && {
      retryLater: (message, delayMs, key) => tell('retry-later', key, () => retryLater(message, delayMs)),
    }),
    ...(extend && {
      async extend(message) {
        const told = await tell('extend', '', () => extend(message));
        return told.done ? told.reply !== false : 'unanswered';
      },
    }),
  };
}
