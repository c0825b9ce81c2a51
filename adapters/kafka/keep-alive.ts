import type { EventSink } from '../../src/adapter-kit.ts';
import type { KafkaEvent } from './events.ts';
import { type BatchPayload, isMembershipError } from './kafka-client.ts';
import type { Generation } from './membership.ts';

/** The client sends a heartbeat only when its own interval is over: to ask more often costs nothing. */
const TICK_MS = 500;

export interface KeepAlive {
  /** Sends a heartbeat when it is due, and commits what is settled. Never throws. */
  readonly beat: () => Promise<void>;
  /** Resolves when the consumer begins to stop. */
  readonly stopping: Promise<void>;
  readonly end: () => void;
}

/** Heartbeats on a timer: the client itself sends none while a handler runs, and the group would evict us. */
export function startKeepAlive(
  payload: BatchPayload,
  generation: Generation,
  events: EventSink<KafkaEvent>,
): KeepAlive {
  let tellStopping: () => void = () => undefined;
  const stopping = new Promise<void>((resolve) => {
    tellStopping = resolve;
  });

  let underWay: Promise<void> | undefined;

  /** One at a time: the client's requests are shared too, and a broker that hangs would be told of many times. */
  function beat(): Promise<void> {
    underWay ??= send().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function send(): Promise<void> {
    try {
      await payload.heartbeat();
      await payload.commitOffsetsIfNecessary();
    } catch (error) {
      if (isMembershipError(error)) generation.interrupt(error);
      else events.emit({ type: 'client-error', verb: 'heartbeat', error });
    }
  }

  const timer = setInterval(() => {
    if (!payload.isRunning()) tellStopping();
    void beat();
  }, TICK_MS);
  return {
    beat,
    stopping,
    end: () => {
      clearInterval(timer);
    },
  };
}
