import type { SettleReply, SettleRequest } from '../store.ts';
import { batchOf, onOneLine } from './batch.ts';
import type { DatabaseQueries } from './database-client.ts';
import { runIn } from './run.ts';
import { settleUpdate, toCells } from './settle.ts';

/** A statement that is a transaction by itself begins with it, to the microsecond; in a longer one it comes later. */
const IN_TRANSACTION = 'now() < statement_timestamp()';

/**
 * The settle of one record in a transaction of the caller's, and whether that is still open.
 *
 * A handler can have ended it by a ROLLBACK of its own: the settle would then commit by itself, and put an effect on
 * record that is gone. To see that costs no round trip. A handler that begins another transaction is not seen.
 */
export function settleInStatement(table: string): string {
  return onOneLine(`
with settled as (${settleUpdate(table, 'one')} and ${IN_TRANSACTION} returning t.key)
select exists (select from settled)::text as settled, (${IN_TRANSACTION})::text as in_transaction`);
}

/** Settles a record in a transaction: it is on record when that is committed, and fenced until then. */
export async function settleIn(
  transaction: DatabaseQueries,
  statement: string,
  request: SettleRequest,
  scope: string,
): Promise<SettleReply | 'no-transaction'> {
  const { parameters } = batchOf([toCells(request)]);
  const [row] = await runIn(transaction, statement, [scope, ...parameters]);
  if (row?.[1] !== 'true') return 'no-transaction';
  return row[0] === 'true' ? 'settled' : 'lost';
}
