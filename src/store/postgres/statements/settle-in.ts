import { settleUpdate } from './settle.ts';

/**
 * Which call of `within` is under way in a transaction. It is set behind the savepoint of the call: what ends the
 * transaction, or goes back to a savepoint from before the call, takes it away.
 */
export const MARK = 'handle_once.within';
const UNDER_WAY = `current_setting('${MARK}', true) is not distinct from $11::text`;

/** The settle of one record where a condition holds, as the rows of `settled`. */
export function settledWhere(table: string, condition: string): string {
  return `
with settled as (${settleUpdate(table, 'one')}
  and ${condition}
returning t.key)`;
}

/**
 * The settle of one record in a transaction of the caller, while the call of the mark `$11` is under way there. It
 * says what it settled, and fails for none of that: with `postgres` a transaction in which a statement has failed
 * commits no more, though a savepoint has undone the failure.
 */
export function settleInStatement(table: string): string {
  return `${settledWhere(table, UNDER_WAY)}
select
  (${UNDER_WAY})::integer as in_transaction,
  exists (select from settled)::integer as settled`;
}
