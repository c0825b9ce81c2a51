import { type BySize, bySize } from './batch.ts';
import { answerColumns, NEW_RECORD_ANSWER } from './claim-answer.ts';
import { askedRecords, insertAsked } from './claim-parts.ts';

/**
 * The claim that nearly every message needs: a key that is new, or one whose record is alive.
 *
 * A live record is answered from the look: a duplicate writes nothing, locks nothing, makes no WAL. A dead record, and
 * a key that another session has just made, get no answer here: they need the claim that can write over a record,
 * whose larger plan costs a third more to start.
 */
export function claimNewStatement(table: string): BySize {
  return bySize(
    (size) => `
with ${askedRecords(size, table)}, made as (
  ${insertAsked(table, 'a.live is null')}
  on conflict (scope, key) do nothing
  returning t.key
)
select key, ${NEW_RECORD_ANSWER}, null from made
union all
select ${answerColumns('a', 'a')} from asked a where a.live`,
  );
}
