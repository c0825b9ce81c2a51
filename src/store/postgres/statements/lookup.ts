import { msBetween } from './claim-columns.ts';

/**
 * Parameters: $1 scope, $2 key. What is on record, in the columns that answer a claim. No row: nothing is, or what is
 * has expired.
 */
export function lookupStatement(table: string): string {
  return `
select t.key,
  case when t.state <> 'pending' then t.state when t.owned then 'in-flight' else 'released' end as kind,
  t.attempts::text as attempts,
  case t.state
    when 'pending' then ${msBetween('t.live_until', 'statement_timestamp()')}::text
    when 'succeeded' then t.result_omitted
    else t.failed_reason
  end as detail,
  case t.state when 'succeeded' then t.result else t.error end as content
from ${table} t
where t.scope = $1::text and t.key = $2::text
  and (t.state = 'pending' or t.live_until > statement_timestamp())`;
}
