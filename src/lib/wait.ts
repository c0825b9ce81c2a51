import { type Clock, systemClock } from './clock.ts';
import { onAbort } from './on-abort.ts';

interface DelayOptions {
  /** Ends it before its time. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it keeps the process alive. Default: true. */
  readonly keepsAlive?: boolean;
}

/** Waits. Resolves with whether its time has passed: false where the signal aborted before. */
export function delay(
  clock: Clock,
  milliseconds: number,
  { signal, keepsAlive = true }: DelayOptions = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined;
    const timer = clock.setTimer(() => {
      unsubscribe();
      resolve(true);
    }, milliseconds);
    if (!keepsAlive) timer.unref();
    if (signal === undefined) return;
    unsubscribe = onAbort(signal, () => {
      clock.clearTimer(timer);
      resolve(false);
    });
  });
}

/** Whether work ends within a time, and before the signal aborts. The work continues in any case. */
export function endsWithin(
  work: PromiseLike<unknown>,
  milliseconds: number,
  clock: Clock = systemClock,
  signal?: AbortSignal,
): Promise<boolean> {
  return endsBefore(work, (end) => {
    const timer = clock.setTimer(end, milliseconds);
    const unsubscribe = signal && onAbort(signal, end);
    return () => {
      clock.clearTimer(timer);
      unsubscribe?.();
    };
  });
}

/** Whether work ends before the signal, if there is one, aborts. The work continues in any case. */
export function endsBeforeAbort(
  work: PromiseLike<unknown>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return endsBefore(work, (end) => (signal ? onAbort(signal, end) : () => undefined));
}

/** Rejects where the work rejects before. Later rejections are ignored. */
async function endsBefore(
  work: PromiseLike<unknown>,
  listen: (end: () => void) => () => void,
): Promise<boolean> {
  let stop = (): void => undefined;
  const over = new Promise<boolean>((resolve) => {
    stop = listen(() => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    stop();
  }
}
