import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { createPreparing, flag, NOT_AN_OBJECT, lazily, rolledBack } from '../../src/adapter-kit.ts';
import type { DatabaseQueries } from '../../src/index.ts';
import { textRows } from './text-rows.ts';

/** Options of `fromPg` and `fromKnex`. */
export interface PgOptions {
  /**
   * Whether statements are prepared once a connection, which spares the server parsing and planning them each time.
   * Turn it off for a transaction pooler that does not know prepared statements (PgBouncer before 1.21, or with
   * `max_prepared_statements = 0`). Default true.
   */
  readonly prepare?: boolean | undefined;
}

export const pgOptions = lazily(() => z.strictObject({ prepare: z._default(flag(), true) }, NOT_AN_OBJECT));

/** A query as `pg` takes it. */
export interface PgQuery {
  readonly text: string;
  readonly values?: (string | null)[];
  readonly name?: string;
  readonly rowMode?: 'array';
  readonly types?: { getTypeParser(): (value: string | Buffer) => string };
}

/** What runs a query: a pool, or a connection. */
export interface PgQueryable {
  query(query: PgQuery): PromiseLike<{ readonly rows: readonly object[]; readonly command?: string }>;
}

export async function commit(on: PgQueryable): Promise<unknown> {
  const result = await on.query({ text: 'commit' });
  // A transaction that has failed is answered with a rollback, and no error.
  if (result.command === 'ROLLBACK') throw rolledBack();
  return result;
}

/** Makes queries whose rows come as text by position, whatever parsers the user has set. */
function pgQueries(): (text: string, values: (string | null)[], isPrepared: boolean) => PgQuery {
  const names = new Map<string, string>();
  return (text, values, isPrepared) => {
    const query: PgQuery = { text, values, rowMode: 'array', types: AS_TEXT };
    return isPrepared ? { ...query, name: nameOf(text, names) } : query;
  };
}

/** What runs our statements on a pool or a connection of `pg`. */
export function pgStatements(prepare: boolean): (on: PgQueryable) => DatabaseQueries {
  const toQuery = pgQueries();
  const preparing = createPreparing(prepare);
  return (on) => ({
    async query(statement, parameters) {
      const send = (isPrepared: boolean) => on.query(toQuery(statement, parameters, isPrepared));
      return textRows((await preparing(send)).rows);
    },
    execute: async (statements) => await on.query({ text: statements }),
  });
}

const AS_TEXT = { getTypeParser: () => String };

/** The same for a text in every process: a pooler can give a session of one to another. */
function nameOf(text: string, names: Map<string, string>): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `handle_once_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  names.set(text, name);
  return name;
}
