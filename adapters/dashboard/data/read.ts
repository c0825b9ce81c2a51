import type { DatabaseRow } from '../../../src/postgres/database-client.ts';
import { run } from '../../operations/run.ts';
import { clientOf } from '../../operations/tables.ts';
import type { Context } from '../page.ts';
import { pageStatements } from '../statements/pages.ts';

type Statements = ReturnType<typeof pageStatements>;
/** Those that do not depend on a partition. */
type Name = { [Each in keyof Statements]: Statements[Each] extends string ? Each : never }[keyof Statements];
type Parameter = string | number | null | undefined;

/** Reads one statement of the pages. */
export function read({ tables }: Context, name: Name, parameters: readonly Parameter[] = []) {
  const texts = parameters.map((value) => value?.toString() ?? null);
  return run(clientOf(tables), pageStatements(tables.databaseSchema)[name], texts);
}

/** What a list shows at once. */
export const PER_PAGE = 50;

/** One row more than a list shows says that it goes on: behind `last`. */
export function pageOf(rows: readonly DatabaseRow[]) {
  const shown = rows.slice(0, PER_PAGE);
  return { shown, last: rows.length > PER_PAGE ? shown.at(-1) : undefined };
}

export function dateIn(ms: string | null | undefined): Date | undefined {
  return ms === null || ms === undefined ? undefined : new Date(Number(ms));
}

/** The name or the code of an error, as the statements compare it. */
export function errorParameter(error: string | undefined): string | null {
  return error === undefined ? null : JSON.stringify(error);
}
