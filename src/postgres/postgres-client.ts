/** A query of the `postgres` client, read as raw bytes by position. */
export interface PostgresQuery {
  raw(): PromiseLike<readonly (readonly (Buffer | null)[])[]>;
}

/** What runs a statement: a `postgres` client, or its transaction. */
export interface PostgresQueries {
  unsafe(
    statement: string,
    parameters?: (string | null)[],
    options?: { readonly prepare?: boolean },
  ): PostgresQuery;
}

/**
 * The part of a `postgres` (porsager) client that this package uses, so that any typed or wrapped client fits.
 *
 * It must be the client itself: a transaction has no `begin`. `Tx` is what handlers in a transaction get.
 */
export interface PostgresClient<Tx = PostgresQueries> extends PostgresQueries {
  readonly options?: { readonly max?: unknown };
  begin<T>(options: string, run: (transaction: Tx) => Promise<T>): Promise<unknown>;
}
