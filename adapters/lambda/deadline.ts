import { type Clock, lazily, type Timer, withMethods } from '../../src/adapter-kit.ts';

/** The part of Lambda's context that is used. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

export const lambdaContext = lazily(() =>
  withMethods<LambdaContext>(
    ['getRemainingTimeInMillis'],
    "Lambda's context, the second argument of the function",
  ),
);

/** The end of one invocation, as far as its records are concerned. */
export interface Deadline {
  /** Aborts when handlers have to give up. */
  readonly signal: AbortSignal;
  /** Resolves when the answer can wait for them no longer. */
  readonly answerDue: Promise<void>;
  /** Whether a record may still be started. */
  readonly hasTime: () => boolean;
  readonly end: () => void;
}

/** Of the margin, for the answer itself. The rest is for handlers that give up, and for their releases. */
const ANSWER_SHARE = 0.25;
const LONGEST_TIMER_MS = 2_147_483_647;

export function createDeadline(context: LambdaContext, marginMs: number, clock: Clock): Deadline {
  const controller = new AbortController();
  const timers: Timer[] = [];
  const remainingMs = context.getRemainingTimeInMillis();

  function after(milliseconds: number, callback: () => void): void {
    // Node warns of times in the past, which an invocation that begins too late has.
    timers.push(clock.setTimer(callback, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS)));
  }

  after(remainingMs - marginMs, () => {
    controller.abort(new DOMException('the function has to answer soon', 'AbortError'));
  });
  return {
    signal: controller.signal,
    answerDue: new Promise((resolve) => {
      after(remainingMs - marginMs * ANSWER_SHARE, resolve);
    }),
    // Not by the signal: its timer is late when a handler keeps the event loop busy.
    hasTime: () => context.getRemainingTimeInMillis() > marginMs,
    // A timer that is left behind would go on in a later invocation.
    end: () => {
      for (const timer of timers) clock.clearTimer(timer);
    },
  };
}
