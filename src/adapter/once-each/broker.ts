import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../reporting/event-sink.ts';
import { Hold, LOST } from '../hold.ts';
import { brokerCall } from './broker-call.ts';
import type { OnceEachEvent } from './events.ts';

/** The calls of a broker that an adapter has. */
export interface BrokerCalls<Message> {
  readonly acknowledge: (message: Message) => unknown;
  readonly retryLater?: ((message: Message, delayMs: number) => unknown) | undefined;
  readonly extend?: ((message: Message) => unknown) | undefined;
  readonly ackWaitMs?: number | undefined;
}

export type Told = { readonly done: true } | { readonly done: false; readonly error: unknown };

/** The same calls. They never throw: what fails is an event. */
export interface Broker<Message> {
  acknowledge(message: Message, key: string): Promise<Told>;
  retryLater?: (message: Message, delayMs: number, key: string) => Promise<Told>;
  /** Keeps a message with us, of whose `ackWaitMs` so much is over already. */
  hold(message: Message, heldForMs: number): Hold;
}

/** Of `ackWaitMs`: the broker, and the way to it, can be of any kind. */
const MARGIN = 0.1;

/** In each `ackWaitMs`. */
const EXTENSIONS = 3;

export function createBroker<Message>(
  { acknowledge, retryLater, extend, ackWaitMs }: BrokerCalls<Message>,
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

  async function prolong(forMs: number, ask: () => unknown): Promise<number | undefined> {
    const until = clock.monotonic() + forMs;
    const told = await tell('extend', '', ask);
    if (!told.done) return undefined;
    return told.reply === false ? LOST : until;
  }

  return {
    acknowledge: (message, key) => tell('acknowledge', key, () => acknowledge(message)),
    ...(retryLater && {
      retryLater: (message, delayMs, key) => tell('retry-later', key, () => retryLater(message, delayMs)),
    }),
    hold(message, heldForMs) {
      if (ackWaitMs === undefined) return new Hold({ clock, until: Infinity, marginMs: 0 });
      const everyMs = ackWaitMs / EXTENSIONS;
      const hold = new Hold({
        clock,
        until: clock.monotonic() + ackWaitMs - heldForMs,
        marginMs: ackWaitMs * MARGIN,
        everyMs,
        extend: extend && (() => prolong(ackWaitMs, () => extend(message))),
      });
      // One that has waited since it was received may have no third left.
      if (heldForMs >= everyMs) hold.beat();
      return hold;
    },
  };
}
