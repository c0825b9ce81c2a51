import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at a deadline, or when the process is asked to end, so that the demo can clean up. Its reason says which. */
export function endSignal(deadlineMs: number): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    // The starters of the services listen too, and would end the process before anything is cleaned up.
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // Asked again, it ends at once.
      if (controller.signal.aborted) process.exit(128 + constants.signals[signal]);
      controller.abort(new Error(`ended by ${signal}`));
    });
  }
  setTimeout(() => {
    controller.abort(new Error(`not done after ${deadlineMs / 1_000} s`));
  }, deadlineMs).unref();
  return controller.signal;
}
