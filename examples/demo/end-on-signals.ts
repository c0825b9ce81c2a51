import { constants } from 'node:os';
import type { Patience } from './patience.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends the demo when its process is asked to end, so that it can clean up. */
export function endOnSignals({ signal: ended, end }: Pick<Patience, 'signal' | 'end'>): void {
  for (const signal of SIGNALS) {
    // The starters of the services listen too, and would end the process before anything is cleaned up.
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // Asked again, it ends at once.
      if (ended.aborted) process.exit(128 + constants.signals[signal]);
      end(`ended by ${signal}`);
    });
  }
}
