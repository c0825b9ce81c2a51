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

/** Of the margin, for the answer itself. The rest is for handlers that give up, and for their releases. */
const ANSWER_SHARE = 0.25;
const LONGEST_TIMER_MS = 2_147_483_647;

/** The end of one invocation, as far as its records are concerned. */
export function createDeadline(context: LambdaContext, marginMs: number, clock: Clock) {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  const timers: Timer[] = [];
  const remainingMs = context.getRemainingTimeInMillis();

  function after(milliseconds: number, callback: () => void): void {
    // Node warns of times in the past, which an invocation that begins too late has.
    timers.push(clock.setTimer(callback, Math.min(Math.max(milliseconds, 0), LONGEST_TIMER_MS)));
  }

  after(remainingMs - marginMs, () => {
    controller.abort(new DOMException('the function must answer soon', 'AbortError'));
  });
  return {
    /** Aborts when handlers have to give up. */
    signal,
    /** Resolves when the answer can wait for them no longer. */
    answerDue: new Promise<void>((resolve) => {
      after(remainingMs - marginMs * ANSWER_SHARE, resolve);
    }),
    /** Whether a record may still start. The timer of the signal is late when a handler keeps the event loop busy. */
    hasTime: () => context.getRemainingTimeInMillis() > marginMs,
    // A timer that is left behind would go on in a later invocation.
    end: () => {
      for (const timer of timers) clock.clearTimer(timer);
    },
  };
}

export type Deadline = ReturnType<typeof createDeadline>;
