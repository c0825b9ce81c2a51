import type { DatabaseClient, DatabaseRow } from '../../src/postgres/database-client.ts';
import { run as runStatement } from '../../src/postgres/run-statement.ts';

/** Runs one statement of an operator: where the role may not, the error names the rights of an operator. */
export function run(
  client: DatabaseClient,
  statement: string,
  parameters: (string | null)[],
): Promise<readonly DatabaseRow[]> {
  return runStatement(client, statement, parameters, 'maintain');
}
