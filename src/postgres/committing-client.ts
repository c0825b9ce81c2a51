import type { DatabaseClient, DatabaseQueries } from './database-client.ts';

/** A client that may be able to send statements one behind the other, without a wait for the replies between them. */
export interface CommittingClient<Tx> extends DatabaseClient<Tx> {
  /**
   * What runs the last statement of a transaction that `begin` has begun, and sends its COMMIT in the same round trip.
   *
   * Where the statement fails nothing is committed. What the COMMIT is answered with is for `begin`, as ever.
   */
  readonly lastIn?: ((transaction: Tx) => Pick<DatabaseQueries, 'query'>) | undefined;
}
