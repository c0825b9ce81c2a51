import { onAbort } from './on-abort.ts';

export interface AttemptSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Whether the caller's own signal has aborted. */
  abortedByCaller(): boolean;
  release(): void;
}

/** A signal that aborts with the caller's, after `timeoutMs`, or by `abort`. */
export function createAttemptSignal(
  caller: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AttemptSignal {
  const controller = new AbortController();
  const abort = (reason: unknown): void => {
    controller.abort(reason);
  };
  const takeOff =
    caller &&
    onAbort(caller, () => {
      abort(caller.reason);
    });
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
      takeOff?.();
    },
  };
}
