import type { Socket } from 'node:net';

/**
 * Closes a socket later than it would, and without telling of its error again, as `postgres` 3.4.9 needs it:
 *
 * - A write that waits for the end of a turn when its socket closes is forgotten, with every later write of that place
 *   in the pool: the connection that is opened next never speaks.
 * - A statement that is sent between the error and a close that tells of it never settles. A rollback is such a one.
 */
export function closedInOrder(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  let hasFailed = false;

  function close(): void {
    emit('close', false);
  }

  socket.emit = (event: string | symbol, ...given: unknown[]) => {
    if (event === 'error') hasFailed = true;
    // Of one that never spoke the client is told at once: it connects again.
    if (event !== 'close' || socket.bytesRead === 0) return emit(event, ...given);
    // One turn writes what waits, and one before it what an error has set off.
    setImmediate(() => {
      if (hasFailed) setImmediate(close);
      else close();
    });
    return true;
  };
  return socket;
}
