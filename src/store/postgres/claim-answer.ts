import type { FailedReason, ResultOmitted } from '../../outcome.ts';
import type { ClaimReply } from '../store.ts';
import type { Row } from './run.ts';

/**
 * The three columns that answer a claim, of a record `t` and the claim `asked`, which also holds what was found.
 *
 * The small facts are packed into one: each cell of a reply costs the client more than the server needs to pack it.
 */
export function answerColumns(t: string, asked: string): string {
  return `${t}.key,
    concat_ws(' ', ${kind(t, asked)}, ${t}.attempts,
      case ${t}.state
        when 'pending' then ceil(date_part('epoch', ${t}.live_until - statement_timestamp()) * 1000)::bigint::text
        when 'succeeded' then ${t}.result_omitted
        else ${t}.failed_reason
      end),
    case ${t}.state when 'succeeded' then ${t}.result else ${t}.error end`;
}

/** The answer to a claim that made its record. */
export const NEW_RECORD_ANSWER = `'claimed 1'`;

function kind(t: string, asked: string): string {
  return `case
      when ${t}.fingerprint <> ${asked}.asked_fingerprint then 'mismatch'
      when ${t}.state = 'succeeded' then 'succeeded'
      when ${t}.state = 'failed' then case when ${t}.token = ${asked}.asked_token then 'exhausted' else 'failed' end
      when not ${t}.owned then 'released'
      when ${t}.token <> ${asked}.asked_token then 'in-flight'
      when ${asked}.live is not true and ${asked}.was_owned then 'taken-over'
      else 'claimed'
    end`;
}

export function toReply([, facts, content = null]: Row): ClaimReply {
  const [kind = '', attemptsText, detail] = (facts ?? '').split(' ');
  const attempts = Number(attemptsText);
  switch (kind) {
    case 'mismatch':
      return { kind };
    case 'succeeded':
      return { kind, attempts, result: content, resultOmitted: (detail ?? null) as ResultOmitted | null };
    case 'exhausted':
    case 'failed':
      return {
        kind: 'failed',
        attempts,
        reason: detail as FailedReason,
        error: content,
        replayed: kind === 'failed',
      };
    case 'released':
      return { kind, attempts, retryAfterMs: Math.max(0, Number(detail)), error: content };
    case 'in-flight':
      return { kind, attempts, retryAfterMs: Math.max(0, Number(detail)) };
    default:
      return { kind: 'claimed', attempts, tookOver: kind === 'taken-over' };
  }
}
