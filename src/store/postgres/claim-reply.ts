import type { FailedReason, ResultOmitted } from '../../words/outcome.ts';
import type { ClaimReply } from '../store.ts';
import type { DatabaseRow } from '../../postgres/database-client.ts';

/** The answer to one claim, of the columns that every claim statement returns. */
export function toReply([, kindText, attemptsText, detail = null, content = null]: DatabaseRow): ClaimReply {
  const kind = kindText ?? '';
  const attempts = Number(attemptsText);
  switch (kind) {
    case 'mismatch':
      return { kind };
    case 'succeeded':
      return { kind, attempts, result: content, resultOmitted: detail as ResultOmitted | null };
    case 'exhausted':
    case 'failed': {
      const [reason, deadToken] = (detail ?? '').split(' ');
      const replayed = kind === 'failed';
      return {
        ...{ kind: 'failed', attempts, reason: reason as FailedReason, error: content, replayed },
        ...(deadToken === undefined || replayed ? undefined : { deadToken }),
      };
    }
    case 'released':
      return { kind, attempts, retryAfterMs: Math.max(0, Number(detail)), error: content };
    case 'suspect':
      return { kind, attempts };
    case 'in-flight':
      return { kind, attempts, retryAfterMs: Math.max(0, Number(detail)) };
    case 'claimed': {
      const [failures, ageMs, deadToken = null] = (detail ?? '').split(' ');
      return {
        kind: 'claimed',
        attempts,
        failures: Number(failures),
        ageMs: Math.max(0, Number(ageMs)),
        deadToken,
        ...(content === null ? undefined : { steps: content }),
      };
    }
    default:
      return { kind: 'unreadable', attempts };
  }
}
