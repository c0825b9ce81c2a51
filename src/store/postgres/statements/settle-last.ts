import { IN_TRANSACTION, settledInTransaction } from './settle-in.ts';

/**
 * The settle of one record as the last statement of its transaction. It fails where it settles nothing, so that a
 * COMMIT that was sent with it commits nothing either: with SQLSTATE 2201F where the transaction has been ended, and
 * with 22012 where the record is another's. No constant may fail: PostgreSQL computes constants before it looks at what
 * they depend on.
 */
export function settleLastStatement(table: string): string {
  return `${settledInTransaction(table)}
select
  sqrt(case when ${IN_TRANSACTION} then 1 else -1 end)::text as in_transaction,
  (1 / case when exists (select from settled) then 1 else 0 end)::text as settled`;
}
