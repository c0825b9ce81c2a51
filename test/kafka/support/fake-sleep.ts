/** In place of `node:timers/promises`, which fake timers do not reach. */
export function setTimeout<T>(
  milliseconds: number,
  value: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => {
      resolve(value);
    }, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
