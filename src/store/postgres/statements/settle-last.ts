import type { Size } from '../../../postgres/request-rows.ts';
import { settleUpdate } from './settle.ts';

/** Milliseconds by which a server that counts whole ones can have shortened a span. PostgreSQL counts microseconds. */
const ROUNDED_MS = `case when date_trunc('milliseconds', statement_timestamp()) = statement_timestamp()
    and date_trunc('milliseconds', now()) = now() then 1 else 0 end`;

/**
 * Whether the statement is in the transaction that was begun before the work. That transaction is at least as old as
 * the work; a statement that is a transaction by itself is as old as its parsing, 0.01 to 0.5 ms. A tenth is subtracted
 * for clock corrections.
 *
 * A handler can have ended the transaction with its own ROLLBACK: the settle would then commit alone, and record an
 * effect that is gone. The check costs no round trip. It does not see a handler that then begins another transaction
 * in the first tenth of its work, or work that takes no longer than the parsing.
 */
const IN_TRANSACTION = `statement_timestamp() - now() >=
    ($11::text::float8 * 0.9 - ${ROUNDED_MS}) * interval '1 millisecond'`;

/** Whether every record is settled, of one or of many. */
const ALL_SETTLED: Readonly<Record<Size, string>> = {
  one: 'exists (select from settled)',
  many: '(select count(*) from settled) = cardinality($2::text::text[])',
};

/**
 * The settle of all records of a transaction, as its last statement. It fails where it does not settle each of them, so
 * that a COMMIT that was sent with it commits nothing either: with SQLSTATE 2201F where the transaction has been ended,
 * and with 22012 where a record is another's. No constant may fail: PostgreSQL computes constants before it looks at
 * what they depend on.
 */
export function settleLastStatement(table: string, size: Size): string {
  return `
with settled as (${settleUpdate(table, size)}
  and ${IN_TRANSACTION}
returning t.key)
select
  sqrt(case when ${IN_TRANSACTION} then 1 else -1 end)::text as in_transaction,
  (1 / case when ${ALL_SETTLED[size]} then 1 else 0 end)::text as settled`;
}
