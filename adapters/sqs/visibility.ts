import type { Clock, EventSink, Timer } from '../../src/adapter-kit.ts';
import { CALL_TIMEOUT_MS, twice } from '../shared/sqs/in-time.ts';
import { isInvisible, TRAVEL_MARGIN_MS } from '../shared/sqs/lapse.ts';
import { boundedVisibility } from '../shared/sqs/queue-settings.ts';
import type { SqsEvent } from './events.ts';
import type { InHandMessage } from './message.ts';
import type { EntryReply, Queue } from './queue.ts';
import type { VisibilityTimeouts } from './queue-check.ts';

/** A message that is kept invisible while it is in hand. */
export interface Hold {
  /** Ends the heartbeats, and waits for one that is under way: none may arrive after what is done next. */
  release(): Promise<void>;
  /** The one by which the queue knows the message now: that of its last receive. */
  receiptHandle(): string;
  /** Whether the visibility timeout can not have lapsed. Once it may have, the message must not be touched. */
  isOurs(): boolean;
  /** How long a call about it may take: then there is time for another. */
  readonly withinMs: number;
  /** A visibility timeout that the queue will accept: none reaches past 12 hours after the receive. */
  boundedSeconds(milliseconds: number): number;
}

export interface VisibilityKeeper {
  hold(delivery: InHandMessage): Hold;
  /**
   * Hands a redelivery to the hold of the same message, which goes on with its receipt handle and the time of its
   * receive. False where the message is not handled any more, or its body is another.
   */
  join(redelivery: InHandMessage): boolean;
  /** Ends all heartbeats. */
  stop(): void;
}

interface Held {
  /** The last receive of the message. */
  delivery: InHandMessage;
  invisibleUntil: number;
  lost: boolean;
  /** Whether it is held for as long as a queue allows. */
  atLimit: boolean;
  beating: Promise<void> | undefined;
}

/** The code of a message that was held for 12 hours: its handler goes on under its lease. */
const LIMIT = 'TWELVE_HOURS';

/** Who calls finds a third of the visibility timeout: what hangs is given up while there is time for another call. */
const CALLS_IN_TIMEOUT = 6;

/**
 * Keeps every message in hand invisible, whether it runs or waits for its turn.
 *
 * A beat comes three times per visibility timeout of a receive, and extends what has less than two thirds left; beats
 * of many messages share calls.
 */
export function createVisibilityKeeper(
  queue: Queue,
  timeouts: VisibilityTimeouts,
  events: EventSink<SqsEvent>,
  clock: Clock,
): VisibilityKeeper {
  const receivedMs = timeouts.received * 1_000;
  const heldMs = timeouts.held * 1_000;
  const withinMs = Math.min(CALL_TIMEOUT_MS, receivedMs / CALLS_IN_TIMEOUT);
  const holds = new Set<Held>();
  const byId = new Map<string, Held>();
  let timer: Timer | undefined;

  function beat(): void {
    for (const held of holds) {
      if (held.atLimit && !held.lost && !isOurs(held)) lose(held, LIMIT);
      const due = held.invisibleUntil - clock.monotonic() < (heldMs * 2) / 3 + TRAVEL_MARGIN_MS;
      if (due && !held.atLimit && held.beating === undefined && isOurs(held)) {
        held.beating = extend(held).finally(() => {
          held.beating = undefined;
        });
      }
    }
  }

  function lose(held: Held, code: string): void {
    held.lost = true;
    events.emit({ type: 'visibility-lost', messageId: held.delivery.messageId, code });
  }

  async function extend(held: Held): Promise<void> {
    const { delivery } = held;
    const { messageId, receiptHandle, receivedAt } = delivery;
    const seconds = boundedVisibility(clock, receivedAt, heldMs);
    const isLast = seconds * 1_000 < heldMs;
    if (seconds === 0) {
      held.atLimit = true;
      return;
    }
    let sentAt = 0;
    const send = (): Promise<EntryReply> => {
      sentAt = clock.monotonic();
      return queue.changeVisibility(receiptHandle, seconds, withinMs);
    };
    try {
      const reply = await twice(send, () => holds.has(held) && held.delivery === delivery && isOurs(held));
      // The reply is about an earlier receipt handle: the last one decides.
      if (held.delivery !== delivery) return;
      if (reply.done) {
        held.invisibleUntil = sentAt + seconds * 1_000;
        held.atLimit = isLast;
        events.emit({ type: 'visibility-extended', messageId, seconds });
      } else if (!reply.retriable) {
        lose(held, reply.code);
      }
    } catch (error) {
      events.emit({ type: 'queue-error', verb: 'change-visibility', messageId, error });
    }
  }

  function isOurs(held: Held): boolean {
    return !held.lost && isInvisible(clock, held.invisibleUntil);
  }

  function stop(): void {
    clock.clearTimer(timer);
    timer = undefined;
  }

  /** What a receive says of the message. */
  function received(delivery: InHandMessage): Omit<Held, 'beating'> {
    return { delivery, invisibleUntil: delivery.receivedAt + receivedMs, lost: false, atLimit: false };
  }

  return {
    stop,
    join(redelivery) {
      const held = byId.get(redelivery.messageId);
      if (held === undefined || held.delivery.message.Body !== redelivery.message.Body) return false;
      Object.assign(held, received(redelivery));
      return true;
    },
    hold(delivery) {
      const { messageId } = delivery;
      const held: Held = { ...received(delivery), beating: undefined };
      holds.add(held);
      byId.set(messageId, held);
      timer ??= clock.setRepeating(beat, receivedMs / 3);
      return {
        async release() {
          holds.delete(held);
          if (byId.get(messageId) === held) byId.delete(messageId);
          if (holds.size === 0) stop();
          await held.beating;
        },
        receiptHandle: () => held.delivery.receiptHandle,
        isOurs: () => isOurs(held),
        withinMs,
        boundedSeconds: (milliseconds) => boundedVisibility(clock, held.delivery.receivedAt, milliseconds),
      };
    },
  };
}
