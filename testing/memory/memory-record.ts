import type { FailedReason, ResultOmitted } from '../../src/words/outcome.ts';
import { given, type RecordPhase, type RecordView, errorOf } from '../../adapters/operations/record.ts';

export interface MemoryRecord {
  state: 'pending' | 'succeeded' | 'failed';
  owned: boolean;
  token: string;
  fingerprint: string;
  attempts: number;
  failures: number;
  deaths: number;
  createdAt: number;
  liveUntil: number;
  result: string | null;
  resultOmitted: ResultOmitted | null;
  failedReason: FailedReason | null;
  error: string | null;
  steps: string | null;
}

/** A record of the memory store, as `showRecord` of `handle-once/operations` shows one, without its times and steps. */
export type MemoryRecordView = Omit<RecordView, 'createdAt' | 'beganAt' | 'liveUntil' | 'worker' | 'steps'>;

export function memoryView(
  scope: string,
  key: string,
  record: MemoryRecord,
  isLive: boolean,
): MemoryRecordView {
  const { state, attempts, failures, deaths, failedReason, error, resultOmitted, result } = record;
  return {
    scope,
    key,
    state,
    phase: phaseOf(record, isLive),
    attempts,
    failures,
    deaths,
    ...given('failedReason', failedReason),
    ...given('error', errorOf(record, error)),
    ...given('resultOmitted', resultOmitted),
    ...given('result', result),
  };
}

function phaseOf({ state, owned }: MemoryRecord, isLive: boolean): RecordPhase {
  if (state !== 'pending') return isLive ? state : 'expired';
  if (owned) return isLive ? 'running' : 'lapsed';
  return isLive ? 'backing-off' : 'waiting';
}
