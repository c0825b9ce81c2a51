interface Listening {
  readonly callbacks: Set<() => void>;
  readonly stop: () => void;
}

const listening = new WeakMap<AbortSignal, Listening>();

/**
 * Calls back when a signal aborts, at once if it has. Returns what removes the callback.
 *
 * A signal has at most one listener, however many wait for it. A listener for each would make Node warn of a leak from
 * the eleventh message on, and `AbortSignal.any` would keep one dependent signal per message alive for as long as the
 * signal lives.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const { callbacks, stop } = listening.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) stop();
  };
}

function listen(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>();
  const callAll = (): void => {
    listening.delete(signal);
    for (const callback of callbacks) callback();
  };
  const stop = (): void => {
    listening.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
  signal.addEventListener('abort', callAll, { once: true });
  const entry = { callbacks, stop };
  listening.set(signal, entry);
  return entry;
}
