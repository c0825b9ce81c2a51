import type { FailedReason, ResultOmitted } from '../outcome.ts';
import type { ClaimReply, ClaimRequest } from './store.ts';

/** A record as a claim left it. */
export interface ClaimedRecord {
  readonly state: 'pending' | 'succeeded' | 'failed';
  /** Whether its token still holds a lease: false once settled or released. */
  readonly owned: boolean;
  readonly token: string;
  readonly fingerprint: string;
  readonly attempts: number;
  readonly remainingMs: number;
  readonly tookOver: boolean;
  readonly result: string | null;
  readonly resultOmitted: ResultOmitted | null;
  readonly failedReason: FailedReason | null;
  readonly error: string | null;
}

/** Answers a claim from the record that it left behind; the same for every store. */
export function claimReply(request: ClaimRequest, record: ClaimedRecord): ClaimReply {
  if (record.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  const { attempts, error } = record;
  switch (record.state) {
    case 'succeeded':
      return { kind: 'succeeded', attempts, result: record.result, resultOmitted: record.resultOmitted };
    case 'failed':
      return {
        kind: 'failed',
        attempts,
        reason: record.failedReason ?? 'terminal',
        error,
        replayed: record.token !== request.token,
      };
    case 'pending': {
      if (record.owned && record.token === request.token) {
        return { kind: 'claimed', attempts, tookOver: record.tookOver };
      }
      const retryAfterMs = Math.max(0, Math.ceil(record.remainingMs));
      return record.owned
        ? { kind: 'in-flight', attempts, retryAfterMs }
        : { kind: 'released', attempts, retryAfterMs, error };
    }
  }
}
