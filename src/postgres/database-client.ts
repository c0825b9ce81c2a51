/** A row by position, each cell as text. */
export type DatabaseRow = readonly (string | null)[];

/** Runs statements: a client, or one of its transactions. */
export interface DatabaseQueries {
  /**
   * Runs one statement, which has its parameters as `$1`, `$2` and so on, and gives its rows.
   *
   * Parameters are sent as text, and cast in the statement. Columns are texts and whole numbers, and each cell comes as
   * text, with all its digits. Cells are in the order of the columns, and no two columns have the same name.
   */
  query(statement: string, parameters: (string | null)[]): Promise<readonly DatabaseRow[]>;
  /** Runs one or several statements in one text, without parameters. Their results are not read. */
  execute(statements: string): Promise<unknown>;
}

/**
 * A Postgres client of any library: `handle-once/clients` makes one for most libraries.
 *
 * It must not be a transaction, or claims would be rolled back with it. While one connection is in a transaction, it
 * needs a second one for heartbeats. What the database refuses is thrown with its SQLSTATE, as `code` of the error or
 * of its `cause`, and with no parameter in its message. `Tx` is what handlers in a transaction get. `clientContract` of
 * `handle-once/testing` tests your own.
 *
 * @example
 * ```ts
 * import type { DatabaseClient, DatabaseQueries } from 'handle-once';
 *
 * function fromMyLibrary(database: MyDatabase): DatabaseClient<MyTransaction> {
 *   const on = (connection: MyDatabase | MyTransaction): DatabaseQueries => ({
 *     query: async (statement, parameters) => {
 *       const rows = await connection.run(statement, parameters);
 *       return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))));
 *     },
 *     execute: (statements) => connection.run(statements),
 *   });
 *   return { ...on(database), begin: (work) => database.transaction(work), in: on };
 * }
 * ```
 */
export interface DatabaseClient<Tx = unknown> extends DatabaseQueries {
  /**
   * Runs work once in a new transaction, commits when it is done, and rolls back and throws the same when it throws.
   *
   * Work that failed is not run again, not even after a conflict or a deadlock: the next attempt does that. It settles
   * only after the work has ended, also when the connection breaks before that: then it throws. A library that notices
   * a broken connection while the work runs calls `onBroken` once.
   */
  begin<T>(work: (transaction: Tx) => Promise<T>, onBroken?: (error: unknown) => void): Promise<T>;
  /**
   * Whether `begin` throws, with SQLSTATE 25P02, when the server answers the COMMIT with a rollback, as it does where a
   * statement has failed. Default false: then the record is checked after each COMMIT.
   */
  readonly tellsRollback?: boolean | undefined;
  /**
   * The most connections that the client opens. Undefined where not known. Adapters warn of a pool that is too small.
   */
  readonly maxConnections?: number | undefined;
  /** What runs statements in a transaction of `begin`. */
  in(transaction: Tx): DatabaseQueries;
}
