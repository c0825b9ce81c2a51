import type { Socket } from 'node:net';
import { messageReader } from './message-reader.ts';

/** Where a socket is connected to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Bytes. What is shorter `postgres` gathers, and writes at the end of a turn; what is longer it writes at once. */
const GATHERED = 1_024;
/** ReadyForQuery, and what it says outside of a transaction. */
const READY = 'Z';
const IDLE = 'I'.charCodeAt(0);

/** Milliseconds without a write. What reacts to a broken connection has written by then. */
const QUIET_MS = 25;

/**
 * Tells of a close where `postgres` 3.4.9 has nothing to write, and without telling of its error again:
 *
 * - What it has gathered when its socket closes it forgets to write, with every later write of that place in its pool:
 *   the connection that is opened next never speaks. So it is told from inside of a write of what was gathered, of
 *   which nothing is left behind, or when nothing has been written for a while.
 * - A statement that is sent between the error and a close that tells of it never settles. A rollback is such a one.
 * - In a transaction a statement that ends by a close sets off a rollback, and that meets a socket which is not there
 *   any more: an exception that no code can catch. So a connection that the server closes without an error, in the
 *   middle of a transaction, has one first. Not elsewhere: a statement of another caller would be sent there as well.
 */
export function closedInOrder(socket: Socket, address?: Address): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: unknown[]) => boolean;
  let isTold = false;
  let hasFailed = false;
  let inTransaction = false;
  /** Runs since the socket has closed. */
  let quiet: NodeJS.Timeout | undefined;

  function tell(): void {
    if (isTold) return;
    isTold = true;
    clearTimeout(quiet);
    emit('close', false);
  }

  const read = messageReader('server', (type, status) => {
    if (type === READY) inTransaction = status !== IDLE;
  });
  socket.on('data', read);
  socket.emit = (event: string | symbol, ...given: unknown[]) => {
    if (event === 'error') hasFailed = true;
    if (event !== 'close') return emit(event, ...given);
    quiet = setTimeout(tell, QUIET_MS);
    if (inTransaction && !hasFailed) emit('error', connectionClosed(address));
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

/** With the code that `postgres` gives it. */
function connectionClosed(address: Address | undefined): Error {
  const at = { address: address?.host, port: address?.port };
  return Object.assign(new Error('the server has closed the connection'), {
    code: 'CONNECTION_CLOSED',
    ...at,
  });
}
