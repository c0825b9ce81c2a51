import type { Clock } from '../../lib/clock.ts';
import { endsWithin } from '../../lib/wait.ts';

/** A message that its broker keeps for us while it is in hand. */
export interface Hold {
  /** Whether the broker cannot have given it to another. Once it may have, the message is not touched. */
  isOurs(): boolean;
  /** Ends the extensions, and waits up to a second for one under way: none should arrive after what is done next. */
  end(): Promise<void>;
}

export interface HoldOptions {
  /** Milliseconds until the broker delivers again what is neither acknowledged nor extended. */
  readonly ackWaitMs?: number | undefined;
  /** How much of that is over already. */
  readonly heldForMs?: number | undefined;
  /** Asks the broker for as long again. Resolves with false when the message is lost. It must not throw. */
  readonly extend?: (() => Promise<boolean | 'unanswered'>) | undefined;
}

/** For an extension under way. One that hangs must not keep a handled message from being acknowledged in time. */
const LONGEST_END_MS = 1_000;

/** Of `ackWaitMs`: what the way to the broker may have taken of it. */
const MARGIN = 0.1;

/** In each `ackWaitMs`. */
const EXTENSIONS = 3;

/** Keeps a message with us by extensions. */
export function holdMessage(
  { ackWaitMs = Infinity, heldForMs = 0, extend }: HoldOptions,
  clock: Clock,
): Hold {
  let heldUntil = clock.monotonic() + ackWaitMs - heldForMs;
  let extending: Promise<void> | undefined;

  async function prolong(ask: NonNullable<HoldOptions['extend']>): Promise<void> {
    const askedAt = clock.monotonic();
    const reply = await ask();
    if (reply === true) heldUntil = askedAt + ackWaitMs;
    if (reply === false) heldUntil = -Infinity;
  }

  function isOurs(): boolean {
    return clock.monotonic() < heldUntil - (Number.isFinite(ackWaitMs) ? ackWaitMs * MARGIN : 0);
  }

  function prolongOnce(): void {
    if (extend === undefined || extending !== undefined || !isOurs()) return;
    extending = prolong(extend).finally(() => {
      extending = undefined;
    });
  }

  const beatMs = ackWaitMs / EXTENSIONS;
  // One that has waited since it was received may have no third left.
  if (heldForMs >= beatMs) prolongOnce();
  const timer = extend && clock.setRepeating(prolongOnce, beatMs);
  return {
    isOurs,
    async end() {
      clock.clearTimer(timer);
      if (extending !== undefined) await endsWithin(extending, LONGEST_END_MS, clock);
    },
  };
}
