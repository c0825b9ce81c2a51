import { constants } from 'node:os';

const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

function exitBySignal(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}

/**
 * Runs `cleanup` when this process exits, also by a signal, unless the returned function was called before.
 * An exiting process waits for nothing, so `cleanup` has to be synchronous. The newest runs first.
 */
export function onExit(cleanup: () => void): () => void {
  for (const signal of ENDING_SIGNALS) {
    process.off(signal, exitBySignal);
    process.on(signal, exitBySignal);
  }
  process.prependListener('exit', cleanup);
  return () => {
    process.off('exit', cleanup);
  };
}
