import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { databaseNow } from '../operations/database-now.ts';
import type { TablesOptions } from '../operations/tables.ts';
import { readingClient, REPLY_TIMEOUT_MS } from './bounded-client.ts';
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

export async function contextOf(
  client: DatabaseClient,
  databaseSchema: string,
  given: Pick<Context, 'visitor' | 'mayAct' | 'parameters' | 'formToken'>,
): Promise<Context> {
  const tables = { sql: readingClient(client), databaseSchema, replyTimeoutMs: REPLY_TIMEOUT_MS };
  return { ...given, tables, now: await databaseNow(tables) };
}

/** A count may read most of a large table. */
const COUNT_MS = 30_000;

/** The same tables for what takes longer than a page. */
export function patient(tables: Context['tables']): Context['tables'] {
  return { ...tables, sql: readingClient(tables.sql, COUNT_MS), replyTimeoutMs: 2 * COUNT_MS };
}
