import { SchemaError } from '../words/errors.ts';
import { LATEST } from './embedded.generated.ts';

/**
 * How tables fit this package. `next`: the following version, which this package works with too, since a migration
 * only adds what the code before it can do without. Nothing is promised for two versions: `too-new`.
 */
type Fit = 'older' | 'current' | 'next' | 'too-new';

export function fitOf(found: number): Fit {
  if (found < LATEST) return 'older';
  if (found === LATEST) return 'current';
  return found === LATEST + 1 ? 'next' : 'too-new';
}

/** Throws `SchemaError` for tables that are two versions newer, or more. */
export function refuseTooNew(found: number, schema: string): void {
  if (fitOf(found) !== 'too-new') return;
  throw new SchemaError(
    `the tables in schema ${schema} have version ${found}, but this version of handle-once knows ${LATEST}, and ` +
      `works with ${LATEST + 1} at most: upgrade the package before you run it against this database`,
  );
}

/** Throws `SchemaError` for tables that this package cannot work with. */
export function requireUsable(found: number, schema: string): void {
  refuseTooNew(found, schema);
  if (fitOf(found) !== 'older') return;
  throw new SchemaError(
    `the tables in schema ${schema} have version ${found}, but this version of handle-once needs ${LATEST}: ` +
      'run migrate(sql), or npx handle-once migrate, with the same schema name before you start it',
  );
}

/** The warning for tables that are one version newer. */
export function nextVersionText(found: number, schema: string): string {
  return (
    `the tables in schema ${schema} have version ${found}, but this version of handle-once is made for ${LATEST}. ` +
    'It works with them, as in a rolling deploy: upgrade the package before the next migration'
  );
}
