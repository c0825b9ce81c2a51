import { settleUpdate } from './settle.ts';

/**
 * Whether the statement is in the transaction that was begun before the work. That transaction is at least as old as
 * the work; a statement that is a transaction by itself is as old as its parsing. A tenth is subtracted for clocks that
 * are corrected meanwhile, and 2 ms for clocks that count milliseconds.
 */
const IN_TRANSACTION = `statement_timestamp() - now() >= ($11::text::float8 * 0.9 - 2) * interval '1 millisecond'`;

/**
 * The settle of one record in a transaction, and whether that is still open.
 *
 * A handler can have ended it by a ROLLBACK of its own: the settle would then commit by itself, and put an effect on
 * record that is gone. To see that costs no round trip. Not seen are a handler that then begins another transaction,
 * and one whose work took less than some 2 ms.
 */
export function settleInStatement(table: string): string {
  return `
with settled as (${settleUpdate(table, 'one')}
  and ${IN_TRANSACTION}
returning t.key)
select exists (select from settled)::text as settled, (${IN_TRANSACTION})::text as in_transaction`;
}
