import type { Clock } from '../../src/adapter-kit.ts';
import { isInvisible } from '../shared/sqs/lapse.ts';
import { MAX_VISIBILITY_SECONDS } from '../shared/sqs/queue-settings.ts';
import type { AddedSettings } from './consumer-settings.ts';

/** Messages of one receive, which sqs-consumer keeps invisible. */
export interface Hold {
  /** Monotonic milliseconds. */
  readonly receivedAt: number;
  /** Whether their visibility timeout cannot have lapsed. Once it may have, they must not be touched. */
  isOurs(): boolean;
  end(): void;
}

/**
 * Follows sqs-consumer's heartbeat, which begins with the handler: a process that stands still sends none, and one that
 * comes too late changes nothing. Whether the queue took it cannot be seen from here.
 */
export function holdMessages({ visibilityTimeout, heartbeatInterval }: AddedSettings, clock: Clock): Hold {
  const receivedAt = clock.monotonic();
  const timeoutMs = visibilityTimeout * 1_000;
  const longest = receivedAt + MAX_VISIBILITY_SECONDS * 1_000;
  let invisibleUntil = receivedAt + timeoutMs;

  function beat(): void {
    const until = clock.monotonic() + timeoutMs;
    if (isInvisible(clock, invisibleUntil) && until <= longest) invisibleUntil = until;
  }

  const timer = clock.setRepeating(beat, heartbeatInterval * 1_000);
  timer.unref();
  return {
    receivedAt,
    isOurs: () => isInvisible(clock, invisibleUntil),
    end() {
      clock.clearTimer(timer);
    },
  };
}
