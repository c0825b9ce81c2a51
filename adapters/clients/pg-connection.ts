/** A connection of `pg`, which emits an error when it breaks. */
export interface ErrorEmitter {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  removeListener(event: 'error', listener: (error: unknown) => void): unknown;
}

export type OnBroken = (error: unknown) => void;

/** Runs work in a transaction on a connection, and calls `onBroken` once when the connection breaks before its end. */
export async function whileItWorks<T>(
  connection: ErrorEmitter,
  work: () => Promise<T>,
  onBroken: OnBroken | undefined,
): Promise<T> {
  let isBroken = false;
  const unsubscribe = onConnectionError(connection, (error) => {
    if (!isBroken) onBroken?.(error);
    isBroken = true;
  });
  try {
    return await work();
  } finally {
    unsubscribe();
  }
}

/** Gives what stops listening. */
export function onConnectionError(connection: ErrorEmitter, listener: OnBroken): () => void {
  connection.on('error', listener);
  return () => {
    connection.removeListener('error', listener);
  };
}
