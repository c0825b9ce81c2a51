import type { OptionIssue } from '../words/errors.ts';
import type { Retries } from './retries.ts';

/** Members of one batch. */
export const MAX_BATCH_SIZE = 500;

/** A message that kills its worker is known by its third death: before it, each of its batch may have died with it. */
const FEWEST_DEATHS = 3;

/** What is wrong with retries for a batch handler. */
export function batchFaults(
  { maxAttempts, maxDeaths }: Retries,
  inTransaction: boolean,
): readonly OptionIssue[] {
  const faults: OptionIssue[] = [];
  if (maxDeaths < FEWEST_DEATHS) {
    const message =
      `must be at least ${FEWEST_DEATHS} for a batch handler (got ${maxDeaths}): ` +
      'a message that kills its worker costs each message of its batch a death';
    faults.push({ field: 'maxDeaths', message });
  }
  if (maxAttempts < 2 && !inTransaction) {
    const message =
      'must be at least 2 for a batch handler without a transaction (got 1): what it throws fails all of its messages, ' +
      'and each has to run again alone';
    faults.push({ field: 'maxAttempts', message });
  }
  return faults;
}
