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
 * Emits the close of a socket when `postgres` 3.4.9 has nothing left to write, and without repeating its error:
 *
 * - When its socket closes, `postgres` forgets to write what it has gathered, and every later write of that place in
 *   its pool: the next connection never speaks. So the close comes from inside a write of what was gathered, which
 *   leaves nothing behind, or when nothing has been written for a while.
 * - A statement that is sent between the error and a close that repeats it never settles. A rollback is one.
 * - In a transaction, a statement that ends by a close starts a rollback on a socket that is gone: an exception that no
 *   code can catch. So where the server closes a connection in a transaction, without an error, an error comes first.
 *   Only there: elsewhere the statement of another caller would be sent as well.
 */
export function closedInOrder(socket: Socket, address?: Address): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: unknown[]) => boolean;
  let isEmitted = false;
  let hasFailed = false;
  let inTransaction = false;
  /** Runs since the socket has closed. */
  let quiet: NodeJS.Timeout | undefined;

  function emitClose(): void {
    if (isEmitted) return;
    isEmitted = true;
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
    quiet = setTimeout(emitClose, QUIET_MS);
    if (inTransaction && !hasFailed) emit('error', connectionClosed(address));
    return true;
  };
  socket.write = (chunk: Buffer, ...rest: unknown[]) => {
    if (quiet === undefined) return write(chunk, ...rest);
    quiet.refresh();
    if (chunk.length < GATHERED) emitClose();
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
