export interface AttemptSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Whether the caller's own signal has aborted. */
  abortedByCaller(): boolean;
  release(): void;
}

/**
 * A signal that aborts with the caller's, after `timeoutMs`, or by `abort`.
 *
 * Its listener is taken off the caller's signal in `release`: `AbortSignal.any` would keep one dependent signal per
 * message alive for as long as a long-lived signal lives.
 */
export function createAttemptSignal(
  caller: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AttemptSignal {
  const controller = new AbortController();
  const abort = (reason: unknown): void => {
    controller.abort(reason);
  };
  const onCallerAbort = (): void => {
    abort(caller?.reason);
  };
  if (caller?.aborted === true) onCallerAbort();
  caller?.addEventListener('abort', onCallerAbort, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          abort(new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
        }, timeoutMs);
  return {
    signal: controller.signal,
    abort,
    abortedByCaller: () => caller?.aborted === true,
    release() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onCallerAbort);
    },
  };
}
