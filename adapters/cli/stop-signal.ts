/** Aborts when the process is told to end, in place of ending it. The second time it ends. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}
