import type { DatabaseClient } from '../store/postgres/database-client.ts';
import { toStoreError } from '../store/postgres/failure.ts';
import { quoteIdentifier } from '../store/postgres/identifier.ts';
import { run } from '../store/postgres/run-statement.ts';

/** Makes the archive's partitions of this month and of the next. Gives the quoted name of the archive. */
export async function prepareArchive(
  client: DatabaseClient,
  schema: string,
  months: string,
): Promise<string> {
  const quoted = quoteIdentifier(schema);
  const archive = `${quoted}.archive`;
  for (const [name, first, beyond] of await run(client, months, [])) {
    const partition = `${quoted}.${quoteIdentifier(name ?? '')}`;
    const statement =
      `create table if not exists ${partition} partition of ${archive} ` +
      `for values from ('${first} 00:00:00+00') to ('${beyond} 00:00:00+00')`;
    try {
      await client.execute(statement);
    } catch (error) {
      throw toStoreError(error, statement);
    }
  }
  return archive;
}
