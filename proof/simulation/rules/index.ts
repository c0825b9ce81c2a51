import type { Cause } from '../facts/names.ts';
import { attemptsCounted } from './attempts-counted.ts';
import { backoffKept } from './backoff-kept.ts';
import { deadLetters } from './dead-letters.ts';
import { createExplained } from './explained.ts';
import { fenced } from './fenced.ts';
import { limitsKept } from './limits-kept.ts';
import { noLateHeartbeat } from './no-late-heartbeat.ts';
import { nothingLost } from './nothing-lost.ts';
import { oneOwner } from './one-owner.ts';
import { oneRun } from './one-run.ts';
import type { Rule } from './rule.ts';
import { runsOnce } from './runs-once.ts';
import { samePayload } from './same-payload.ts';
import { settledStays } from './settled-stays.ts';
import { startsInLease } from './starts-in-lease.ts';
import { truthful } from './truthful.ts';

/** Looked at when everything is over, in place of each fact. */
export const EVERYTHING_ENDS = {
  name: 'everything-ends',
  promise: 'Once faults stop, every message comes to an end.',
};

/** What holds on every surface. */
export function rulesOf(onCause: (cause: Cause) => void): readonly Rule[] {
  return [
    nothingLost,
    oneOwner,
    fenced,
    settledStays,
    createExplained(onCause),
    oneRun,
    runsOnce,
    startsInLease,
    attemptsCounted,
    limitsKept,
    backoffKept,
    samePayload,
    truthful,
    deadLetters,
    noLateHeartbeat,
  ];
}
