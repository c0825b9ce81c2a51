import type { DatabaseClient } from '../../src/index.ts';
import type { ClientLibrary } from '../../testing/contracts/index.ts';

/** A client library over one database, which its tests close. */
export interface Library<Tx> extends ClientLibrary<Tx> {
  close(): Promise<unknown>;
}

/** Opens the library on the database of a URL. */
export type OpenLibrary<Tx> = (url: string) => Library<Tx> | Promise<Library<Tx>>;

/** The first column of what a statement answers. */
export async function column(client: DatabaseClient, statement: string): Promise<(string | null)[]> {
  const rows = await client.query(statement, []);
  return rows.map(([cell = null]) => cell);
}
