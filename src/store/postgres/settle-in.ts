import type { SettleRequest } from '../store.ts';
import type { SettledIn } from '../transactional-store.ts';
import { batchOf } from './batch.ts';
import type { DatabaseQueries } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { runIn } from './run-statement.ts';
import { toCells } from './settle.ts';

/** What the statement fails with where it settles nothing: by a division by zero, and by the root of -1. */
const UNSETTLED: Readonly<Record<string, SettledIn>> = {
  '22012': 'lost',
  '2201F': 'no-transaction',
};

/** Settles a record in a transaction: it is on record when that is committed, and fenced until then. */
export async function settleIn(
  transaction: Pick<DatabaseQueries, 'query'>,
  statement: string,
  request: SettleRequest,
  scope: string,
  workMs: number,
): Promise<SettledIn> {
  const { parameters } = batchOf([toCells(request)]);
  try {
    await runIn(transaction, statement, [scope, ...parameters, String(workMs)]);
    return 'settled';
  } catch (error) {
    const reply = UNSETTLED[sqlState(error) ?? ''];
    if (reply === undefined) throw error;
    return reply;
  }
}
