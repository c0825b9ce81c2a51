import { answerColumns, NEW_RECORD_ANSWER } from './claim-columns.ts';
import { askedRecords, insertAsked } from './claim-parts.ts';
import { withLockTimeout } from './locked.ts';
import { settleUpdate } from './settle.ts';

/**
 * Parameters: $1 scope; of claims $2 keys, $3 tokens, $4 fingerprints, $5 lease; of settles $6 to $14, in the order of
 * `settle.ts`.
 *
 * Claims of records that are new or not claimable, and settles that are not repeated: what nearly all messages need, in
 * one round trip and one commit. The kind of a settle's row is `settled`. What has no row is sent again by `claim` or
 * `settle`.
 *
 * No circle of these can wait. The way of each is: its inserts in the order of keys, then its updates in the order of
 * keys. The limit of the updated rows counts what was inserted, so that no update comes before the last insert; else
 * the order of the two would not be promised. And each waits only for one that is further on this way:
 *
 * - In its updates it waits for no insert, since a record that is inserted and not committed is in no other snapshot.
 *   So it waits for one that has updated the same key, and is at a later one.
 * - In its inserts it waits for one that has inserted the same key, and is at a later one or in its updates, or for one
 *   that has updated the same key.
 *
 * That holds for `claim-new`, which only inserts, and for `settle` and `extend`, which only update, too. `claim-any`
 * does both in one order of keys. It can take over a record that this statement settles, and then wait for a key that
 * this one has inserted; but only where that key had a record when the claim looked, which was purged or forgotten
 * since. The lock timeout ends that within 250 ms, and so does a check for deadlocks after a second. Nothing is written
 * then, and the requests are sent again by `claim` and `settle`.
 *
 * The timeout is set before the first insert: that can wait for another such statement, which waits for a lock.
 */
export function exchangeStatement(table: string, lockWaitMs: number): string {
  const asked = { token: 'a.asked_token', fingerprint: 'a.asked_fingerprint' };
  return `
with ${askedRecords('many', table)}, made as (
  ${insertAsked(table, `a.live is null ${withLockTimeout(lockWaitMs)}`)}
  on conflict (scope, key) do nothing
  returning t.key
), settled as (${settleUpdate(table, 'many', { first: 6, after: 'made' })}
  returning t.key
)
select ${NEW_RECORD_ANSWER} from made
union all
select ${answerColumns('a', asked)} from asked a where a.live
union all
select key, 'settled', null, null, null from settled`;
}
