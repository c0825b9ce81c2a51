import type { DatabaseClient, DatabaseQueries } from './database-client.ts';

/** A client that knows which statement of a transaction is the last. */
export interface CommittingClient<Tx> extends DatabaseClient<Tx> {
  /**
   * Runs the last statement of a transaction of `begin`: what its user sends later is refused. Where the statement
   * fails nothing is committed. `begin` handles the answer to the COMMIT as usual.
   */
  readonly lastIn?: ((transaction: Tx) => Pick<DatabaseQueries, 'query'>) | undefined;
  /** Whether that sends the COMMIT in the same round trip. Then a COMMIT that is answered with a rollback fails it. */
  readonly sendsCommit?: boolean | undefined;
}
