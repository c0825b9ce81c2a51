import type { LookupReply } from '../store.ts';
import { toReply } from './claim-reply.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { run } from '../../postgres/run-statement.ts';

export async function lookup(
  client: DatabaseClient,
  statement: string,
  key: string,
  scope: string,
): Promise<LookupReply | undefined> {
  const [row] = await run(client, statement, [scope, key]);
  return row === undefined ? undefined : (toReply(row) as LookupReply);
}
