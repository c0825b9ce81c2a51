import { StoreError } from '../api/errors.ts';
import type { DatabaseClient } from '../store/postgres/database-client.ts';
import { sqlState } from '../store/postgres/error-layers.ts';
import { toStoreError } from '../store/postgres/failure.ts';
import { quoteIdentifier } from '../store/postgres/identifier.ts';
import { run } from '../store/postgres/run-statement.ts';

const NO_PERMISSION = '42501';

function notTheOwner(statement: string): StoreError {
  const message =
    'the archive lacks a partition, and this role may not make it (SQLSTATE 42501): ' +
    `run, as the owner of the tables, "${statement}"`;
  return new StoreError(message, { retriable: false, mayHaveLanded: false });
}

/** Makes the archive's partitions of this month and of the next. Gives the quoted name of the archive. */
export async function prepareArchive(
  client: DatabaseClient,
  schema: string,
  months: string,
): Promise<string> {
  const quoted = quoteIdentifier(schema);
  const archive = `${quoted}.archive`;
  for (const [name, first, beyond, there] of await run(client, months, [schema])) {
    // Only the owner of the archive may make one: another role needs no more than to insert.
    if (there === 'true') continue;
    const partition = `${quoted}.${quoteIdentifier(name ?? '')}`;
    const statement =
      `create table if not exists ${partition} partition of ${archive} ` +
      `for values from ('${first} 00:00:00+00') to ('${beyond} 00:00:00+00')`;
    try {
      await client.execute(statement);
    } catch (error) {
      throw sqlState(error) === NO_PERMISSION ? notTheOwner(statement) : toStoreError(error, statement);
    }
  }
  return archive;
}
