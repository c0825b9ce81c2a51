import { type Clock, type EventSink, Hold, type Timer } from '../../src/adapter-kit.ts';
import { CALL_TIMEOUT_MS, twice } from '../shared/sqs/in-time.ts';
import type { EntryReply, Queue } from '../shared/sqs/queue.ts';
import { boundedVisibility, TRAVEL_MARGIN_MS } from '../shared/sqs/visibility-limits.ts';
import type { SqsEvent } from './events.ts';
import type { ReceivedMessage, SqsMessage } from './message.ts';
import type { VisibilityTimeouts } from './queue-check.ts';

/** The code of a message that was held for 12 hours: its handler goes on under its lease. */
const LIMIT = 'TWELVE_HOURS';

/** Who calls finds a third of the visibility timeout: what hangs is given up while there is time for another call. */
const CALLS_IN_TIMEOUT = 6;

/** What the messages of one keeper share. */
interface Shared {
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
  readonly clock: Clock;
  readonly receivedMs: number;
  readonly heldMs: number;
  readonly onReleased: (message: HeldMessage) => void;
}

/** A received message that is kept invisible. */
export class HeldMessage {
  readonly message: SqsMessage;
  readonly messageId: string;
  readonly #shared: Shared;
  readonly #hold: Hold;
  /** The last receive of the message. */
  #received: ReceivedMessage;
  /** Whether it is held for as long as a queue allows. */
  #isAtLimit = false;
  #isReleased = false;

  constructor(received: ReceivedMessage, shared: Shared) {
    this.message = received.message;
    this.messageId = received.messageId;
    this.#shared = shared;
    this.#received = received;
    this.#hold = new Hold({
      clock: shared.clock,
      until: received.receivedAt + shared.receivedMs,
      marginMs: TRAVEL_MARGIN_MS,
      extend: () => this.#extend(),
    });
  }

  /** Whether the visibility timeout can not have lapsed. Once it may have, the message must not be touched. */
  isOurs(): boolean {
    return this.#hold.isOurs();
  }

  /** How long a call about it may take: then there is time for another. */
  get withinMs(): number {
    return Math.min(CALL_TIMEOUT_MS, this.#shared.receivedMs / CALLS_IN_TIMEOUT);
  }

  /** The one by which the queue knows the message now, from its last receive. */
  receiptHandle(): string {
    return this.#received.receiptHandle;
  }

  /** A visibility timeout that the queue will accept: none reaches past 12 hours after the receive. */
  boundedSeconds(milliseconds: number): number {
    return boundedVisibility(this.#shared.clock, this.#received.receivedAt, milliseconds);
  }

  /** Goes on with another receive of the same message. */
  receivedAgain(received: ReceivedMessage): void {
    this.#received = received;
    this.#isAtLimit = false;
    this.#hold.until = received.receivedAt + this.#shared.receivedMs;
  }

  /** Extends it where less than two thirds are left. */
  beat(): void {
    if (this.#isAtLimit) {
      if (!this.isOurs()) this.#hold.until = this.#lose(LIMIT);
    } else if (this.#hold.leftMs() < (this.#shared.heldMs * 2) / 3) this.#hold.beat();
  }

  /** Ends the heartbeats, and waits for one that is under way: none may arrive after what is done next. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#shared.onReleased(this);
    await this.#hold.end();
  }

  #lose(code: string): number {
    this.#isAtLimit = false;
    this.#shared.events.emit({ type: 'visibility-lost', messageId: this.messageId, code });
    return Hold.LOST;
  }

  async #extend(): Promise<number | undefined> {
    const { queue, events, clock, heldMs } = this.#shared;
    const received = this.#received;
    const seconds = this.boundedSeconds(heldMs);
    if (seconds === 0) {
      this.#isAtLimit = true;
      return undefined;
    }
    let sentAt = 0;
    const send = (): Promise<EntryReply> => {
      sentAt = clock.monotonic();
      return queue.changeVisibility(received.receiptHandle, seconds, this.withinMs);
    };
    const isTheSame = (): boolean => this.#received === received;
    try {
      const reply = await twice(send, () => !this.#isReleased && isTheSame() && this.isOurs());
      // The reply is about an earlier receipt handle: the last one decides.
      if (!isTheSame()) return undefined;
      if (!reply.done) return reply.retriable ? undefined : this.#lose(reply.code);
      this.#isAtLimit = seconds * 1_000 < heldMs;
      events.emit({ type: 'visibility-extended', messageId: this.messageId, seconds });
      return sentAt + seconds * 1_000;
    } catch (error) {
      const { messageId } = this;
      events.emit({ type: 'queue-error', queue: queue.name, verb: 'change-visibility', messageId, error });
      return undefined;
    }
  }
}

/**
 * Keeps every received message invisible, whether it runs or waits for its turn.
 *
 * A beat comes three times per visibility timeout of a receive; beats of many messages share calls.
 */
export function createVisibilityKeeper(
  queue: Queue,
  timeouts: VisibilityTimeouts,
  events: EventSink<SqsEvent>,
  clock: Clock,
) {
  const receivedMs = timeouts.received * 1_000;
  const shared: Shared = { queue, events, clock, receivedMs, heldMs: timeouts.held * 1_000, onReleased };
  const holds = new Set<HeldMessage>();
  const byId = new Map<string, HeldMessage>();
  let timer: Timer | undefined;

  function beat(): void {
    for (const held of holds) held.beat();
  }

  function onReleased(held: HeldMessage): void {
    holds.delete(held);
    if (byId.get(held.messageId) === held) byId.delete(held.messageId);
    if (holds.size === 0) stop();
  }

  /** Ends all heartbeats. */
  function stop(): void {
    clock.clearTimer(timer);
    timer = undefined;
  }

  return {
    stop,
    /**
     * Hands a redelivery to the hold of the same message, which goes on with its receipt handle and the time of its
     * receive. False where the message is not handled any more, or its body is another.
     */
    join(redelivery: ReceivedMessage): boolean {
      const held = byId.get(redelivery.messageId);
      if (held === undefined || held.message.Body !== redelivery.message.Body) return false;
      held.receivedAgain(redelivery);
      return true;
    },
    hold(received: ReceivedMessage): HeldMessage {
      const held = new HeldMessage(received, shared);
      holds.add(held);
      byId.set(held.messageId, held);
      timer ??= clock.setRepeating(beat, receivedMs / 3);
      return held;
    },
  };
}

export type VisibilityKeeper = ReturnType<typeof createVisibilityKeeper>;
