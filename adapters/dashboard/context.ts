import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import type { TablesOptions } from '../operations/tables.ts';
import type { Visitor } from './options.ts';

/** What a page knows of its request. */
export interface Context {
  readonly visitor: Visitor;
  /** Whether this visitor may change records here. */
  readonly mayAct: boolean;
  /** For what is read: the server refuses everything else. */
  readonly tables: TablesOptions & { readonly sql: DatabaseClient; readonly databaseSchema: string };
  /** By the database's clock, as all times of the records are. */
  readonly now: Date;
  readonly parameters: URLSearchParams;
  /** Of the forms on the page. Empty where it may have none. */
  readonly formToken: string;
}
