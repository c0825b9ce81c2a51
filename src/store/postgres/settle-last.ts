import type { SettleRequest } from '../store.ts';
import type { SettledIn } from '../transactional-store.ts';
import { batchOf } from '../../postgres/batch.ts';
import type { DatabaseQueries } from '../../postgres/database-client.ts';
import { sqlState } from '../../postgres/error-layers.ts';
import { toStoreError } from '../../postgres/failure.ts';
import { toCells } from './settle.ts';

/** What the statement fails with where it settles nothing: by a division by zero, and by the root of -1. */
const UNSETTLED: Readonly<Record<string, SettledIn>> = {
  '22012': 'lost',
  '2201F': 'no-transaction',
};

/** Settles a record as the last statement of a transaction: it is on record when that commits. */
export async function settleLast(
  transaction: Pick<DatabaseQueries, 'query'>,
  statement: string,
  request: SettleRequest,
  scope: string,
  workMs: number,
): Promise<SettledIn> {
  const { parameters } = batchOf([toCells(request)]);
  try {
    await transaction.query(statement, [scope, ...parameters, String(workMs)]);
    return 'settled';
  } catch (error) {
    const reply = UNSETTLED[sqlState(error) ?? ''];
    if (reply === undefined) throw toStoreError(error, statement);
    return reply;
  }
}
