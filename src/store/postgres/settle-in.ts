import type { SettleRequest } from '../store.ts';
import { batchOf } from './batch.ts';
import type { DatabaseQueries } from './database-client.ts';
import { runIn } from './run-statement.ts';
import { toCells } from './settle.ts';

/** Settles a record in a transaction: it is on record when that is committed, and fenced until then. */
export async function settleIn(
  transaction: DatabaseQueries,
  statement: string,
  request: SettleRequest,
  scope: string,
  workMs: number,
): Promise<'settled' | 'lost' | 'no-transaction'> {
  const { parameters } = batchOf([toCells(request)]);
  const [row] = await runIn(transaction, statement, [scope, ...parameters, String(workMs)]);
  if (row?.[1] !== 'true') return 'no-transaction';
  return row[0] === 'true' ? 'settled' : 'lost';
}
