import { createConnection, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import * as z from 'zod/mini';
import { NOT_AN_OBJECT, lazily, parseOptions, wholeNumber } from '../../src/adapter-kit.ts';
import { type Address, closedInOrder } from './closed-in-order.ts';
import { messageReader } from './message-reader.ts';
import { overTls } from './postgres-tls.ts';

/** Options of `guardedSocket`. */
export interface GuardedSocketOptions {
  /**
   * Milliseconds that the server may be silent while a statement waits for its answer, 100 to 43,200,000. Set it above
   * the longest statement of the client: a statement, a wait for a lock or an upload by COPY that takes longer is cut
   * too. Default 15,000.
   */
  readonly unansweredMs?: number | undefined;
  /**
   * TLS, instead of `ssl` of `postgres`: true for a certificate of a known authority, or options of `tls.connect` such
   * as `{ ca }`. Default false.
   */
  readonly ssl?: boolean | ConnectionOptions | undefined;
}

/** Options to spread into those of `postgres`: its types do not have `socket`. */
export interface GuardedSocket {
  /** Opens the connections of the client, and closes one whose server is silent for `unansweredMs`. */
  readonly socket: (target: SocketTarget) => Socket | Promise<Socket>;
  /** Off where the socket has TLS already. */
  readonly ssl?: false;
}

/** What `postgres` gives its option `socket`: its own options. */
export interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket. */
  readonly path?: unknown;
  readonly ssl?: unknown;
  /** Seconds. */
  readonly connect_timeout?: unknown;
}

const optionsSchema = lazily(() =>
  z.strictObject(
    {
      unansweredMs: z._default(wholeNumber('milliseconds', 100, 43_200_000), 15_000),
      ssl: z._default(
        z.custom<boolean | ConnectionOptions>((value) => typeof value === 'boolean' || isObject(value), {
          error: 'must be true, false or options of tls.connect',
        }),
        false,
      ),
    },
    NOT_AN_OBJECT,
  ),
);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * Options of `postgres` for connections that close when the server stops answering.
 *
 * A network can drop the packets of a connection that stays open, after a failover for example. Then nothing in the
 * client ends the statements on it, and its pool is lost until the process restarts. With these options such a
 * connection fails with the code `CONNECTION_CLOSED`, and the client opens another. Of several hosts each new
 * connection takes one at random.
 *
 * For TLS give `ssl` here, not to `postgres` and not as `sslmode` of the URL: a connection is refused then.
 *
 * Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { guardedSocket } from 'handle-once/clients';
 * import postgres from 'postgres';
 *
 * const guarded = guardedSocket({ unansweredMs: 30_000, ssl: true });
 * const sql = postgres(databaseUrl, { fetch_types: false, ...guarded });
 * ```
 */
export function guardedSocket(options: GuardedSocketOptions = {}): GuardedSocket {
  const { unansweredMs, ssl } = parseOptions('guardedSocket', optionsSchema(), options);
  const prepare = ({ connection, address }: Opened): Socket =>
    closedInOrder(guarded(Object.assign(connection, address), unansweredMs), address);
  if (ssl === false) {
    return { socket: (target) => (isOff(target.ssl) ? prepare(openTo(target)) : failing(tlsElsewhere())) };
  }
  const tlsOptions = ssl === true ? {} : ssl;
  return {
    ssl: false,
    async socket(target) {
      if (!isOff(target.ssl)) return failing(tlsElsewhere());
      const { connection, address } = openTo(target);
      try {
        const seconds = Number(target.connect_timeout);
        const secure = await overTls(connection, address?.host, tlsOptions, seconds * 1_000);
        return prepare({ connection: secure, address });
      } catch (error) {
        return failing(error as Error);
      }
    },
  };
}

function isOff(ssl: unknown): boolean {
  return ssl === undefined || ssl === null || ssl === false;
}

function tlsElsewhere(): Error {
  return Object.assign(
    new Error('give ssl to guardedSocket, not to postgres and not as sslmode of the URL'),
    {
      code: 'TLS_NOT_GUARDED',
    },
  );
}

/** As of `postgres` 3.4.9 a connection is lost to its pool when the option `socket` throws. */
function failing(error: Error): Socket {
  const socket = closedInOrder(new Socket());
  setImmediate(() => socket.destroy(error));
  return socket;
}

interface Opened {
  readonly connection: Socket;
  /** Errors of `postgres` name the address of the socket. */
  readonly address: Address | undefined;
}

/** Connects, and does not wait for it: as of `postgres` 3.4.9 a connection is lost to its pool when `socket` throws. */
function openTo({ host, port, path }: SocketTarget): Opened {
  if (typeof path === 'string') return { connection: createConnection(path), address: undefined };
  const index = Math.floor(Math.random() * host.length);
  const address = { host: host[index] as string, port: port[index] as number };
  return { connection: createConnection(address), address };
}

/** Sync, Query and FunctionCall: the server answers each with a ReadyForQuery. */
const STATEMENTS = 'SQF';
/** ReadyForQuery, CopyInResponse and CopyBothResponse: the server waits for the client. */
const ANSWERS = 'ZGW';

/** A cursor asks for its next rows with Execute and Flush, and the server answers with no ReadyForQuery. */
const EXECUTE = 'E';
const FLUSH = 'H';
/** PortalSuspended, CommandComplete, EmptyQueryResponse, ErrorResponse and ReadyForQuery. */
const ENDS_OF_ROWS = 'sCIEZ';
/** Of a Flush without an Execute. RowDescription, NoData, ErrorResponse and ReadyForQuery. */
const DESCRIPTIONS = 'TnEZ';
const NOTHING = '';

/** How often a connection is looked at before it counts as silent. */
const LOOKS = 10;

/**
 * A socket that is destroyed when the server is silent for too long while a statement waits for its answer.
 *
 * - Until the first answer the client's `connect_timeout` is the limit.
 * - Looks are counted, not time: after a standstill of the process the answer may already be there.
 */
function guarded(socket: Socket, unansweredMs: number): Socket {
  let unanswered = 0;
  let isExecuted = false;
  /** What the last Flush waits for. */
  let flushed = NOTHING;
  let heardAfter: number | undefined;
  let silentLooks = 0;

  const readQuestions = messageReader('client', (type) => {
    if (type === EXECUTE) isExecuted = true;
    if (type === FLUSH) flushed = isExecuted ? ENDS_OF_ROWS : DESCRIPTIONS;
    if (STATEMENTS.includes(type)) unanswered += 1;
    if (type === FLUSH || STATEMENTS.includes(type)) isExecuted = false;
  });
  const readAnswers = messageReader('server', (type) => {
    if (ANSWERS.includes(type)) unanswered = Math.max(0, unanswered - 1);
    if (flushed.includes(type)) flushed = NOTHING;
  });
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: unknown[]) => boolean;
  socket.write = (chunk: Buffer, ...rest: unknown[]) => {
    readQuestions(chunk);
    return write(chunk, ...rest);
  };
  socket.on('data', (chunk: Buffer) => {
    readAnswers(chunk);
    heardAfter = socket.bytesWritten;
    silentLooks = 0;
  });

  function waits(): boolean {
    if (heardAfter === undefined || socket.isPaused()) return false;
    return unanswered > 0 || flushed !== NOTHING || socket.bytesWritten !== heardAfter;
  }
  function look(): void {
    silentLooks = waits() ? silentLooks + 1 : 0;
    if (silentLooks > LOOKS) socket.destroy();
  }
  const timer = setInterval(look, unansweredMs / LOOKS).unref();
  return socket.once('close', () => {
    clearInterval(timer);
  });
}
