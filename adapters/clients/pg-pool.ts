import { isError } from '../../src/adapter-kit.ts';
import { onConnectionError } from './pg-connection.ts';
import type { PgQueryable } from './pg-query.ts';

/** A connection that a pool has handed out. */
export interface PgConnection extends PgQueryable {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  removeListener(event: 'error', listener: (error: unknown) => void): unknown;
  release(destroy?: boolean): void;
}

/** The part of a `Pool` of `pg` that is used. A `Client` does not hand out connections, and has no `totalCount`. */
export interface PgPool<Connection> extends PgQueryable {
  readonly totalCount: number;
  readonly options?: { readonly max?: unknown };
  connect(): Promise<Connection>;
  connect(callback: (...result: never[]) => void): void;
}

/**
 * Runs work on a connection of its own. After an error its transaction is rolled back. Where that gets no answer the
 * connection is destroyed: its next caller would be in the transaction.
 */
export async function onOneConnection<Connection extends PgConnection, T>(
  pool: PgPool<Connection>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { connection, unsubscribe } = await acquire(pool);
  let isBroken = false;
  try {
    return await work(connection);
  } catch (error) {
    isBroken = await connection.query({ text: 'rollback' }).then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    connection.release(isBroken);
    unsubscribe();
  }
}

/**
 * A connection with a listener for its errors during the whole transaction: an error without one ends the process.
 *
 * By a callback, which the pool calls at once: a server can accept a connection and close it in one packet, and the
 * error then comes before a promise goes on.
 */
function acquire<Connection extends PgConnection>(
  pool: PgPool<Connection>,
): Promise<{ readonly connection: Connection; readonly unsubscribe: () => void }> {
  return new Promise((resolve, reject) => {
    const acquired = (error: unknown, connection: Connection): void => {
      if (isError(error)) reject(error);
      else resolve({ connection, unsubscribe: onConnectionError(connection, () => undefined) });
    };
    pool.connect(acquired as (...result: never[]) => void);
  });
}
