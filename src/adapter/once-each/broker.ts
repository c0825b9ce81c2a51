import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../reporting/event-sink.ts';
import { Hold } from '../hold.ts';
import { brokerCall } from './broker-call.ts';
import type { OnceEachEvent } from './events.ts';

/** The calls of a broker that an adapter has. */
interface BrokerCalls<Message> {
  readonly acknowledge: (message: Message) => unknown;
  readonly retryLater?: ((message: Message, delayMs: number) => unknown) | undefined;
  readonly extend?: ((message: Message) => unknown) | undefined;
  readonly ackWaitMs?: number | undefined;
}

type Answer = { readonly done: true } | { readonly done: false; readonly error: unknown };

export type Broker<Message> = ReturnType<typeof createBroker<Message>>;

/** Share of `ackWaitMs`: brokers and networks of any kind. */
const MARGIN = 0.1;

/** In each `ackWaitMs`. */
const EXTENSIONS = 3;

/** The calls of a broker, which never throw: what fails is an event. */
export function createBroker<Message>(
  { acknowledge, retryLater, extend, ackWaitMs }: BrokerCalls<Message>,
  events: EventSink<OnceEachEvent>,
  clock: Clock,
) {
  type Verb = Extract<OnceEachEvent, { type: 'broker-error' }>['verb'];

  async function send(
    verb: Verb,
    key: string,
    call: () => unknown,
  ): Promise<Answer & { readonly reply?: unknown }> {
    try {
      return { done: true, reply: await brokerCall(clock, call) };
    } catch (error) {
      events.emit({ type: 'broker-error', verb, key, error });
      return { done: false, error };
    }
  }

  async function prolong(forMs: number, ask: () => unknown): Promise<number | undefined> {
    const until = clock.monotonic() + forMs;
    const answer = await send('extend', '', ask);
    if (!answer.done) return undefined;
    return answer.reply === false ? Hold.LOST : until;
  }

  return {
    acknowledge: (message: Message, key: string): Promise<Answer> =>
      send('acknowledge', key, () => acknowledge(message)),
    ...(retryLater && {
      retryLater: (message: Message, delayMs: number, key: string): Promise<Answer> =>
        send('retry-later', key, () => retryLater(message, delayMs)),
    }),
    /** Holds a message that was received `heldForMs` ago. */
    hold(message: Message, heldForMs: number): Hold {
      if (ackWaitMs === undefined) return new Hold({ clock, until: Infinity, marginMs: 0 });
      const everyMs = ackWaitMs / EXTENSIONS;
      const hold = new Hold({
        clock,
        until: clock.monotonic() + ackWaitMs - heldForMs,
        marginMs: ackWaitMs * MARGIN,
        everyMs,
        extend: extend && (() => prolong(ackWaitMs, () => extend(message))),
      });
      // A message that has waited may not have a third of `ackWaitMs` left.
      if (heldForMs >= everyMs) hold.beat();
      return hold;
    },
  };
}
