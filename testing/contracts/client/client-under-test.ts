import type { DatabaseClient } from '../../../src/postgres/database-client.ts';

/** What a client library can do. What it cannot do is a row of the contract too. */
export interface ClientAbilities {
  /**
   * Runs statements while another of its connections is in a transaction. A database within the process may have one
   * connection.
   */
  readonly severalConnections: boolean;
  /** Its `begin` calls `onBroken` when the connection of the transaction breaks. */
  readonly tellBreaks: boolean;
}

/** A client library, open on a database. */
export interface ClientLibrary<Tx = unknown> {
  /** What is tested. With several connections it opens at least four. */
  readonly client: DatabaseClient<Tx>;
  /** Inserts a row with this `id` into the table `handle_once_effects`, in the library's own way. */
  insert(transaction: Tx, id: string): PromiseLike<unknown>;
}

/** A client whose server does not answer. */
export interface UnreachableClient {
  /** Connects to an address where nothing listens. */
  readonly client: DatabaseClient;
  /** Called at the end of the case. */
  close(): unknown;
}

/** A Postgres client, as its contract uses it. */
export interface ClientUnderTest<Tx = unknown> {
  /** Decides what each case expects. */
  readonly can: ClientAbilities;
  /**
   * Gives the library, open on a database that the tests may write to: called by each case, and the same each time.
   *
   * The contract makes a schema `handle_once_contract` and a table `handle_once_effects (id text)` there, and leaves
   * them.
   */
  readonly open: () => ClientLibrary<Tx> | Promise<ClientLibrary<Tx>>;
  /** The same client with the address of no server, such as port 1. Default: there is no case for it. */
  readonly openUnreachable?: (() => UnreachableClient | Promise<UnreachableClient>) | undefined;
}
