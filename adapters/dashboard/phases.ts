import type { BadEnding } from '../../src/history/line.ts';
import type { RecordPhase, RecordView } from '../operations/record.ts';
import type { EndedAttempt } from '../operations/explain-record.ts';
import { chainOf, duration } from './parts/words.ts';

interface Advice {
  /** What it waits for. `left` is how far its `liveUntil` is away. */
  readonly says: (left: string, record: RecordView, now: Date) => string;
  /** What ends at its `liveUntil`. */
  readonly until: string;
  /** What a person on call can do next. */
  readonly next: readonly string[];
}

const ADVICE: Readonly<Record<RecordPhase, Advice>> = {
  running: {
    says: (_, { beganAt }, now) =>
      `Running for ${duration(now.getTime() - beganAt.getTime())}. Its worker gives signs of life.`,
    until: 'Lease ends',
    next: [
      'Is that longer than it should take? Look at the log of its process, which is named below.',
      'If it hangs, end that process: once its lease is over, a delivery runs the message again.',
    ],
  },
  lapsed: {
    says: (left) =>
      `Its worker has given no sign: its lease ended ${left} ago. The next delivery takes it over.`,
    until: 'Lease ended',
    next: [
      'Find out why its process is gone or frozen: its name is below.',
      'It runs again with the next delivery. If none comes, check the queue.',
    ],
  },
  'backing-off': {
    says: (left) => `Backing off: a delivery runs it again in ${left}.`,
    until: 'Backoff ends',
    next: [
      'Correct the cause of the error, if it is on your side. The first delivery after the backoff runs it again.',
    ],
  },
  waiting: {
    says: (left) => `It waits for a delivery, since ${left}.`,
    until: 'Free to run',
    next: [
      'It runs with its next delivery. Look for the message in the queue and in the dead-letter queue.',
      'If it is in neither, nothing runs it again: have its sender send it again.',
    ],
  },
  succeeded: {
    says: (left) => `Deliveries are answered from the record for ${left} more.`,
    until: 'Kept until',
    next: ['There is nothing to do. To run it again anyway, forget it and have it delivered again.'],
  },
  failed: {
    says: (left, { failedReason }) =>
      `Failed permanently${failedReason === undefined ? '' : ` (${failedReason})`}. Deliveries are answered with the failure for ${left} more.`,
    until: 'Kept until',
    next: [
      'Correct the cause of the error.',
      'Retry the record: then it can run again.',
      'Have it delivered again: it does not run before that. If it has a dead letter, use the command below.',
    ],
  },
  expired: {
    says: (left) => `Expired ${left} ago. It counts as absent.`,
    until: 'Expired',
    next: ['There is nothing to do. The next delivery runs as a new message.'],
  },
};

const DAMAGED: Advice = {
  says: () => 'This record is damaged.',
  until: 'Until',
  next: ['Forget it once you know what it was.'],
};

/** A damaged record can have a phase that is not in the table. */
export function adviceFor(phase: string): Advice {
  return Object.hasOwn(ADVICE, phase) ? ADVICE[phase as RecordPhase] : DAMAGED;
}

const CASES: Readonly<Record<BadEnding, string | undefined>> = {
  released: 'Case 4: a retry',
  interrupted: 'Case 6: it was stopped',
  failed: undefined,
  died: 'Case 1 or 2: its lease ended',
  'lease-lost': 'Case 2: it outlived its lease',
  unrecorded: 'Case 1 or 6: its outcome was not known',
};

/** The case of a second run in the manual, by how an attempt ended. */
export function caseOf({ ending, error }: Pick<EndedAttempt, 'ending' | 'error'>): string | undefined {
  const timedOut = ending === 'released' && chainOf(error).some(({ name }) => name === 'TimeoutError');
  return timedOut ? 'Case 6: it timed out' : CASES[ending];
}
