/** What a claim compares a record with, as SQL. */
interface ClaimSql {
  readonly token: string;
  readonly fingerprint: string;
  /** The token of the lapsed lease, as text, of a record that the claim now owns or fails. Absent: it does neither. */
  readonly deadToken?: string;
}

/**
 * The five columns that answer a claim, of a record `t`: key, kind, attempts, detail, content.
 *
 * Separate columns, since packing the small ones costs the server more than each cell costs the client. They have
 * names: libraries that give rows as objects would merge two columns without.
 */
export function answerColumns(t: string, claim: ClaimSql): string {
  return `${t}.key, ${kind(t, claim)} as kind, ${t}.attempts::text as attempts,
    case ${t}.state
      when 'pending' then case
        when ${isOurs(t, claim)} then concat_ws(' ', ${t}.failures, ${msBetween('statement_timestamp()', `${t}.created_at`)}, ${claim.deadToken ?? 'null'})
        else ${msBetween(`${t}.live_until`, 'statement_timestamp()')}::text
      end
      when 'succeeded' then ${t}.result_omitted
      else ${claim.deadToken === undefined ? `${t}.failed_reason` : `concat_ws(' ', ${t}.failed_reason, ${claim.deadToken})`}
    end as detail,
    case
      when ${t}.state = 'succeeded' then ${t}.result
      when ${t}.state = 'pending' and ${isOurs(t, claim)} then ${t}.steps
      else ${t}.error
    end as content`;
}

/** The answer to a claim that made its record. */
export const NEW_RECORD_ANSWER = `key, 'claimed' as kind, '1' as attempts, '0 0' as detail, null as content`;

/** Rounded up: a span that is not over is not 0. */
export function msBetween(later: string, earlier: string): string {
  return `ceil(date_part('epoch', ${later} - ${earlier}) * 1000)::bigint`;
}

function isOurs(t: string, claim: ClaimSql): string {
  return `(${t}.owned and ${t}.token = ${claim.token})`;
}

/**
 * Whether two fingerprints show that their payloads differ, as SQL: they are of one version, which is their first byte.
 * An empty one has no first byte, and so differs from none.
 */
export function mismatch(one: string, other: string): string {
  return `(${one} <> ${other} and substr(${one}, 1, 1) = substr(${other}, 1, 1))`;
}

/**
 * A failed record with the token of this claim has just failed by it; a pending one that is claimable waits as a
 * suspect.
 */
function kind(t: string, claim: ClaimSql): string {
  return `case
      when ${mismatch(`${t}.fingerprint`, claim.fingerprint)} then 'mismatch'
      when ${t}.state = 'succeeded' then 'succeeded'
      when ${t}.state = 'failed' then case when ${t}.token = ${claim.token} then 'exhausted' else 'failed' end
      when ${t}.live_until <= statement_timestamp() then 'suspect'
      when not ${t}.owned then 'released'
      when ${t}.token <> ${claim.token} then 'in-flight'
      else 'claimed'
    end`;
}
