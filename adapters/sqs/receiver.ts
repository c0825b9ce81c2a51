import { type Clock, endsWithin, type EventSink, type Timer } from '../../src/adapter-kit.ts';
import { MAX_BATCH, type Queue } from '../shared/sqs/queue.ts';
import { startPoll } from '../shared/sqs/visibility-limits.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import { createPause } from './failure-pause.ts';

export interface ReceiverOptions {
  readonly clock: Clock;
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  /** Whether a stop may abort a long poll: a message that is on its way in it has used up a receive. */
  readonly abortsPolls: boolean;
  /** The most received messages that may take room. */
  readonly capacity: number;
  /** How many received messages take room. */
  readonly inFlight: () => number;
  /** Of how many of them the store has not answered yet. */
  readonly untried: () => number;
  readonly onMessages: (messages: readonly SqsMessage[], receivedAt: number) => void;
  /** Called when nothing more comes for now: a receive was empty, or none is under way. */
  readonly onIdle: () => void;
}

/** What a receive that is under way gets at a stop. */
const LAST_POLL_MS = 1_000;

/** An empty receive that was quicker than this is followed by a wait: a short poll must not become a hot loop. */
const SHORTEST_EMPTY_POLL_MS = 500;

/** An idle long poll holds a socket of the client for up to 20 seconds, and the SDK has 50 for all calls by default. */
const MOST_POLLS = 20;

/** Above what a receive and the pause after it can take. */
const STALLED_MS = 120_000;

/**
 * Long polls, as many at once as find full batches, and never for more messages than there is room for.
 *
 * One poll is under way while the queue is quiet. Each full batch allows one more, each poorer one takes one away.
 */
export function createReceiver(options: ReceiverOptions) {
  const { clock, queue, events, capacity } = options;
  const mostPolls = Math.min(MOST_POLLS, Math.ceil(capacity / MAX_BATCH));
  const worthwhile = Math.min(MAX_BATCH, Math.ceil(capacity / 2));
  const polls = new Map<Promise<void>, number>();
  const aborter = new AbortController();
  const receivePause = createPause(pump, clock);
  const storePause = createPause(pump, clock);
  let allowedPolls = 1;
  let quiet: Timer | undefined;
  let stopped = false;
  /** Receives that the client is not done with. One that hangs stays here when its bound has passed. */
  let underWay = 0;
  let turnedAt = clock.monotonic();
  let answeredAt: Date | undefined;

  function room(): number {
    let requested = 0;
    for (const max of polls.values()) requested += max;
    return capacity - options.inFlight() - requested;
  }

  function mayPoll(): boolean {
    if (stopped || quiet !== undefined || receivePause.isPaused() || storePause.isPaused()) return false;
    if (storePause.isFailing()) return polls.size === 0 && options.untried() === 0 && room() > 0;
    return polls.size < allowedPolls && room() >= worthwhile;
  }

  function pump(): void {
    while (mayPoll()) {
      const max = storePause.isFailing() ? 1 : Math.min(MAX_BATCH, room());
      const poll = receive(max).finally(() => {
        polls.delete(poll);
        pump();
      });
      polls.set(poll, max);
    }
    if (polls.size === 0) options.onIdle();
  }

  async function receive(max: number): Promise<void> {
    const { waitTimeSeconds, visibilityTimeoutSeconds } = options;
    const receivedAt = startPoll(clock, waitTimeSeconds);
    const sentAt = clock.monotonic();
    if (underWay === 0) turnedAt = sentAt;
    underWay += 1;
    try {
      const signal = aborter.signal;
      const request = { max, waitTimeSeconds, visibilityTimeoutSeconds, signal, onEnded };
      const messages = await queue.receive(request);
      answeredAt = new Date(clock.wall());
      receivePause.succeed();
      adapt(messages.length, max, clock.monotonic() - sentAt);
      options.onMessages(messages, receivedAt());
      if (messages.length === 0) options.onIdle();
    } catch (error) {
      if (aborter.signal.aborted) return;
      events.emit({ type: 'queue-error', queue: queue.name, verb: 'receive', error });
      if (!stopped) receivePause.fail();
    }
  }

  function onEnded(): void {
    underWay -= 1;
    turnedAt = clock.monotonic();
  }

  function adapt(received: number, max: number, tookMs: number): void {
    allowedPolls = received === max ? Math.min(mostPolls, allowedPolls + 1) : Math.max(1, allowedPolls - 1);
    if (received > 0 || tookMs >= SHORTEST_EMPTY_POLL_MS || stopped) return;
    quiet ??= clock.setTimer(() => {
      quiet = undefined;
      pump();
    }, SHORTEST_EMPTY_POLL_MS);
  }

  function isTurning(): boolean {
    const isFull = capacity - options.inFlight() < worthwhile;
    if (stopped || isFull || storePause.isFailing()) return true;
    return clock.monotonic() - turnedAt < STALLED_MS;
  }

  return {
    /** Receives what there is room for. To be called whenever room has come free. */
    pump,
    health: () => ({
      /** Whether receives go on: false where none has begun or ended for two minutes, though there was room. */
      isTurning: isTurning(),
      /** Whether the last one failed, or all calls of the queue hang. */
      isFailing: receivePause.isFailing() || queue.isSilent(),
      /** When the queue last answered one. */
      answeredAt,
    }),
    /**
     * Whether the store answered for a message. While it is down one message at a time is tried: more would only use up
     * their receive counts.
     */
    storeAnswered(answered: boolean): void {
      if (!answered) {
        if (!stopped) storePause.fail();
      } else if (storePause.isFailing()) {
        storePause.succeed();
        pump();
      }
    },
    /**
     * Starts no further receive. Resolves when the last one has ended, for which it gets one second where it may be
     * aborted.
     */
    async stop(): Promise<void> {
      stopped = true;
      clock.clearTimer(quiet);
      receivePause.cancel();
      storePause.cancel();
      const ended = Promise.all(polls.keys());
      if (options.abortsPolls && !(await endsWithin(ended, LAST_POLL_MS, clock))) aborter.abort();
      await ended;
    },
    /** Ends the receives under way: a message that was on its way may stay invisible for its visibility timeout. */
    abort(): void {
      aborter.abort();
    },
  };
}
