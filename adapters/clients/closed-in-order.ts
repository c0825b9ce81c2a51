import type { Socket } from 'node:net';

/** Bytes. What is shorter `postgres` gathers, and writes at the end of a turn; what is longer it writes at once. */
const GATHERED = 1_024;
/** Milliseconds without a write. What reacts to a broken connection has written by then. */
const QUIET_MS = 25;

/**
 * Tells of a close where `postgres` 3.4.9 has nothing to write, and without telling of its error again:
 *
 * - What it has gathered when its socket closes it forgets to write, with every later write of that place in its pool:
 *   the connection that is opened next never speaks. So it is told from inside of a write of what was gathered, of
 *   which nothing is left behind, or when nothing has been written for a while.
 * - A statement that is sent between the error and a close that tells of it never settles. A rollback is such a one.
 */
export function closedInOrder(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: unknown[]) => boolean;
  let isTold = false;
  /** Runs since the socket has closed. */
  let quiet: NodeJS.Timeout | undefined;

  function tell(): void {
    if (isTold) return;
    isTold = true;
    clearTimeout(quiet);
    emit('close', false);
  }

  socket.emit = (event: string | symbol, ...given: unknown[]) => {
    if (event !== 'close') return emit(event, ...given);
    quiet = setTimeout(tell, QUIET_MS);
    return true;
  };
  socket.write = (chunk: Buffer, ...rest: unknown[]) => {
    if (quiet === undefined) return write(chunk, ...rest);
    quiet.refresh();
    if (chunk.length < GATHERED) tell();
    return true;
  };
  return socket;
}
