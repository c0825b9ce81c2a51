import { settleUpdate } from './settle.ts';

/**
 * Whether the statement is in the transaction that was begun before the work. That transaction is at least as old as
 * the work; a statement that is a transaction by itself is as old as its parsing. A tenth is subtracted for clocks that
 * are corrected meanwhile, and 2 ms for clocks that count milliseconds.
 *
 * A handler can have ended the transaction by a ROLLBACK of its own: the settle would then commit by itself, and put an
 * effect on record that is gone. To see that costs no round trip. Not seen are a handler that then begins another
 * transaction, and one whose work took less than some 2 ms.
 */
export const IN_TRANSACTION = `statement_timestamp() - now() >= ($11::text::float8 * 0.9 - 2) * interval '1 millisecond'`;

/** The settle of one record in a transaction, as the rows of `settled`. */
export function settledInTransaction(table: string): string {
  return `
with settled as (${settleUpdate(table, 'one')}
  and ${IN_TRANSACTION}
returning t.key)`;
}

/**
 * The settle of one record in a transaction of the caller. It says what it settled, and fails for none of that: with
 * `postgres` a transaction in which a statement has failed commits no more, though a savepoint has undone the failure.
 */
export function settleInStatement(table: string): string {
  return `${settledInTransaction(table)}
select
  (${IN_TRANSACTION})::integer as in_transaction,
  exists (select from settled)::integer as settled`;
}
