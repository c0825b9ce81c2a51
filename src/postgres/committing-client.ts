import type { DatabaseClient, DatabaseQueries } from './database-client.ts';

/** A client that may be able to pipeline: to send a statement before the reply to the one before. */
export interface CommittingClient<Tx> extends DatabaseClient<Tx> {
  /**
   * Runs the last statement of a transaction of `begin`, and sends its COMMIT in the same round trip.
   *
   * Where the statement fails nothing is committed. `begin` handles the answer to the COMMIT as usual.
   */
  readonly lastIn?: ((transaction: Tx) => Pick<DatabaseQueries, 'query'>) | undefined;
}
