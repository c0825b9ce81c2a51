import { giveUpAfter } from './give-up.ts';

/** For what ends a walk or a redrive: it takes milliseconds where all answer. */
const PATIENCE_MS = 4_500;

/**
 * Aborts on the first signal to the process, in place of ending it. It ends the second time, and when what it waits for
 * gives no answer.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      giveUpAfter(
        PATIENCE_MS,
        'stopped by a signal, without an answer within 4.5 s: nothing is lost, and the next call continues from there',
      );
      stop.abort();
    });
  }
  return stop.signal;
}
