import { SchemaError } from '../api/errors.ts';
import { migrations } from './embedded.generated.ts';

/** The version of the tables that this package works with. */
export const LATEST = Math.max(...migrations.map(({ version }) => version));

/** Throws `SchemaError` for tables that a newer version of the package has migrated. */
export function refuseNewer(found: number, schema: string): void {
  if (found <= LATEST) return;
  throw new SchemaError(
    `the tables in schema ${schema} have version ${found}, and this version of handle-once knows ${LATEST}: ` +
      'upgrade the package before you run it against this database',
  );
}

/** Throws `SchemaError` for tables that are not of this package's version. */
export function requireLatest(found: number, schema: string): void {
  refuseNewer(found, schema);
  if (found === LATEST) return;
  throw new SchemaError(
    `the tables in schema ${schema} have version ${found}, and this version of handle-once needs ${LATEST}: ` +
      'run migrate(sql) with the same schema name before you start it',
  );
}
