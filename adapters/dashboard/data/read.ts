import type { DatabaseRow } from '../../../src/postgres/database-client.ts';
import { run } from '../../operations/run.ts';
import { fromColumn } from '../../operations/record.ts';
import { clientOf } from '../../operations/tables.ts';
import type { Context } from '../context.ts';
import { pageStatements } from '../statements/pages.ts';

type Statements = ReturnType<typeof pageStatements>;
/** Those that do not depend on a partition. */
type Name = { [Each in keyof Statements]: Statements[Each] extends string ? Each : never }[keyof Statements];

/** Reads one statement of the pages. */
export function read(
  { tables }: Pick<Context, 'tables'>,
  name: Name,
  parameters: (string | null)[],
): Promise<readonly DatabaseRow[]> {
  return run(clientOf(tables), pageStatements(tables.databaseSchema)[name], parameters);
}

export function dateIn(ms: string | null | undefined): Date | undefined {
  return ms === null || ms === undefined ? undefined : new Date(Number(ms));
}

/** The name of an error as the statements answer it: JSON text. */
export function nameIn(json: string | null | undefined): string | undefined {
  const name = fromColumn(json);
  return typeof name === 'string' ? name : undefined;
}

/** As the statements compare it. */
export function nameParameter(name: string | undefined): string | null {
  return name === undefined ? null : JSON.stringify(name);
}
