import type { DatabaseClient } from '../../src/index.ts';

/** A client library over one database, as the contract of clients uses it. */
export interface Library<Tx> {
  readonly client: DatabaseClient<Tx>;
  /** Inserts into `effects` in the library's own way. */
  insert(transaction: Tx, id: string): Promise<unknown>;
  /** Runs work in a transaction of the library's own. */
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
  /** Whether `begin` calls `onBroken`: where the library shows the connection of a transaction. */
  readonly tellsOfBreaks?: boolean;
  close(): Promise<unknown>;
}

/** Opens the library on the database of a URL. */
export type OpenLibrary<Tx> = (url: string) => Library<Tx> | Promise<Library<Tx>>;

/** Statements that a client has run, counted. */
export interface Counted {
  readonly client: DatabaseClient;
  statements(): number;
}

export function counted(client: DatabaseClient): Counted {
  let statements = 0;
  return {
    client: {
      ...client,
      query(statement, parameters) {
        statements += 1;
        return client.query(statement, parameters);
      },
      begin: () => Promise.reject(new Error('the hot path opens no transaction')),
    },
    statements: () => statements,
  };
}

/** The first column of what a statement answers. */
export async function column(client: DatabaseClient, statement: string): Promise<(string | null)[]> {
  const rows = await client.query(statement, []);
  return rows.map(([cell = null]) => cell);
}
