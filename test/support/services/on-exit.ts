import { constants } from 'node:os';

const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** In the order in which they came: with a listener for each, Node would warn of a leak. */
const cleanups = new Set<() => void>();

function cleanUp(): void {
  for (const cleanup of [...cleanups].reverse()) cleanup();
}

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
  process.off('exit', cleanUp).on('exit', cleanUp);
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}
