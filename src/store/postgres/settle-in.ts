import type { SettleRequest } from '../store.ts';
import type { SettledIn } from '../transactional-store.ts';
import { batchOf } from '../../postgres/batch.ts';
import type { DatabaseQueries } from '../../postgres/database-client.ts';
import { sqlState } from '../../postgres/error-layers.ts';
import { runIn } from '../../postgres/run-statement.ts';
import { toCells } from './settle.ts';

type Transaction = Pick<DatabaseQueries, 'query'>;

/**
 * Settles a record in a transaction behind a savepoint: it is on record when that is committed, and fenced until then.
 */
export async function settleIn(
  transaction: Transaction,
  statement: string,
  mark: string,
  request: SettleRequest,
  scope: string,
): Promise<SettledIn> {
  const [row] = await runIn(transaction, statement, parametersOf(request, scope, mark));
  const [inTransaction, settled] = row ?? [];
  if (inTransaction !== '1') return 'no-transaction';
  return settled === '1' ? 'settled' : 'lost';
}

/** What the last statement fails with where it settles nothing: by a division by zero, and by the root of -1. */
const UNSETTLED: Readonly<Record<string, SettledIn>> = {
  '22012': 'lost',
  '2201F': 'no-transaction',
};

/** The same as the last statement of its transaction. */
export async function settleLast(
  transaction: Transaction,
  statement: string,
  request: SettleRequest,
  scope: string,
  workMs: number,
): Promise<SettledIn> {
  try {
    await runIn(transaction, statement, parametersOf(request, scope, String(workMs)));
    return 'settled';
  } catch (error) {
    const reply = UNSETTLED[sqlState(error) ?? ''];
    if (reply === undefined) throw error;
    return reply;
  }
}

function parametersOf(request: SettleRequest, scope: string, condition: string): (string | null)[] {
  const { parameters } = batchOf([toCells(request)]);
  return [scope, ...parameters, condition];
}
