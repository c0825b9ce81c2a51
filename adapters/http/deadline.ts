import { type Clock, endsBeforeAbort, onAbort, type Timer } from '../../src/adapter-kit.ts';

interface DeadlineTerms {
  readonly clock: Clock;
  /** How long a handler may go on after its signal has aborted. */
  readonly graceMs: number;
  /** Whether the handler has begun to answer. */
  readonly hasBegun: () => boolean;
  /** Of a handler that has not begun: its client is to be answered. */
  readonly onTimeout: () => void;
}

/**
 * When a handler is not waited for any more. At its timeout that is at once where its response has begun. Else it has
 * another lease to end, since it may have had its effect: its record is kept, and what it answers is for the retry.
 */
export function deadlineOf(signal: AbortSignal, { clock, graceMs, hasBegun, onTimeout }: DeadlineTerms) {
  const controller = new AbortController();
  const over: AbortSignal = controller.signal;
  let grace: Timer | undefined;
  const end = (): void => {
    controller.abort(signal.reason);
  };
  const unsubscribe = onAbort(signal, () => {
    const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    if (isTimeout && hasBegun()) {
      end();
      return;
    }
    grace = clock.setTimer(end, graceMs);
    if (isTimeout) onTimeout();
  });
  return {
    /** Aborts when the handler is not waited for any more. */
    over,
    stop(): void {
      unsubscribe();
      clock.clearTimer(grace);
    },
  };
}

/**
 * Rejects where the handler has not returned when it is not waited for any more. `discard` gets what it returns later.
 */
export async function unlessOver<T>(
  over: AbortSignal,
  handler: () => T | PromiseLike<T>,
  discard: (late: Awaited<T>) => void,
): Promise<Awaited<T>> {
  const answer = Promise.resolve(handler());
  if (await endsBeforeAbort(answer, over)) return await answer;
  answer.then(discard).catch(() => undefined);
  throw over.reason;
}
