import type { DeadLetter, DeadLetterOutcome, DeadLetterRecord, RedrivenDeadLetter } from './dead-letter.ts';
import { isWanted, type RedriveSettings } from './options.ts';
import { createRedriver } from './redriver.ts';

/** A dead letter that its broker has handed over. */
export interface FoundDeadLetter<Place, Facts> {
  readonly deadLetter: DeadLetter;
  /** What `onDeadLetter` is given with its outcome. */
  readonly place: Place;
  /** What `filter` is given with its record. */
  readonly facts: Facts;
}

/** A redriver that asks the user which dead letters to redrive, and says what became of each. */
export function createRedrive<Place, Facts>(
  subject: string,
  options: RedriveSettings<Facts & DeadLetterRecord, Place & RedrivenDeadLetter>,
) {
  const { filter, onDeadLetter } = options;
  const redriver = createRedriver(subject, options);

  function choose({ deadLetter, facts }: FoundDeadLetter<Place, Facts>): DeadLetter {
    if ('kept' in deadLetter) return deadLetter;
    const { scope, key, mustStay } = deadLetter;
    if (!isWanted(subject, filter, { ...facts, scope, key })) return { kept: 'filtered' };
    return mustStay === undefined ? deadLetter : { kept: mustStay };
  }

  async function take(found: FoundDeadLetter<Place, Facts>): Promise<DeadLetterOutcome | undefined> {
    const { deadLetter, place } = found;
    const outcome = await redriver.take(choose(found));
    const record = 'kept' in deadLetter ? {} : { scope: deadLetter.scope, key: deadLetter.key };
    if (outcome !== undefined) await onDeadLetter?.({ ...place, ...record, ...outcome });
    return outcome;
  }

  return { ...redriver, take };
}
