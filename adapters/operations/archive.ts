import { StoreError } from '../../src/words/errors.ts';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { sqlState } from '../../src/postgres/error-layers.ts';
import { NO_PERMISSION, toStoreError } from '../../src/postgres/failure.ts';
import { quoteIdentifier } from '../../src/postgres/identifier.ts';
import { run } from './run.ts';

const ALREADY_THERE = '42P07';

/** Makes the archive's partitions of this month and of the next. Gives the quoted name of the archive. */
export async function prepareArchive(
  client: DatabaseClient,
  schema: string,
  months: string,
): Promise<string> {
  const quoted = quoteIdentifier(schema);
  const archive = `${quoted}.archive`;
  const rows = await run(client, months, [archive]);
  for (const [index, [name, first, beyond, attached]] of rows.entries()) {
    // Only the owner of the archive may make one: another role needs no more than to insert.
    if (attached === 'true') continue;
    const partition = `${quoted}.${quoteIdentifier(name ?? '')}`;
    const statement =
      `create table ${partition} partition of ${archive} ` +
      `for values from ('${first} 00:00:00+00') to ('${beyond} 00:00:00+00')`;
    try {
      await client.execute(statement);
    } catch (error) {
      const isNeeded = index === 0;
      if (isNeeded) throw refused(error, partition, statement);
    }
  }
  return archive;
}

function refused(error: unknown, partition: string, statement: string): unknown {
  const state = sqlState(error);
  const because: Readonly<Partial<Record<string, string>>> = {
    [NO_PERMISSION]:
      `the archive lacks a partition, and this role may not create it (SQLSTATE ${NO_PERMISSION}): ` +
      'as the owner of the tables, run what npx handle-once grants ROLE --for archive prints, with the name of ' +
      `this role for ROLE; or, for this month only, run: ${statement}`,
    [ALREADY_THERE]:
      `the table ${partition} exists, but is not a partition of the archive (SQLSTATE ` +
      `${ALREADY_THERE}): attach it, or rename it`,
  };
  const message = because[state ?? ''];
  if (message === undefined) return toStoreError(error, statement, 'maintain');
  return new StoreError(message, { retriable: false, mayHaveLanded: false });
}
