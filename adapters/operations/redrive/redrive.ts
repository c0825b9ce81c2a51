import type { Letter, LetterOutcome, LetterRecord, RedrivenLetter } from './letter.ts';
import { isWanted, type RedriveSettings } from './options.ts';
import { createRedriver } from './redriver.ts';

/** A dead letter that its broker has handed over. */
export interface FoundLetter<Place, Facts> {
  readonly letter: Letter;
  /** What `onLetter` is given with its outcome. */
  readonly place: Place;
  /** What `filter` is given with its record. */
  readonly facts: Facts;
}

/** A redriver that asks the user which letters to redrive, and says what became of each. */
export function createRedrive<Place, Facts>(
  options: RedriveSettings<Facts & LetterRecord, Place & RedrivenLetter>,
) {
  const { filter, onLetter } = options;
  const redriver = createRedriver(options);

  function choose({ letter, facts }: FoundLetter<Place, Facts>): Letter {
    if ('kept' in letter) return letter;
    const { scope, key, mustStay } = letter;
    if (!isWanted(filter, { ...facts, scope, key })) return { kept: 'filtered' };
    return mustStay === undefined ? letter : { kept: mustStay };
  }

  async function take(found: FoundLetter<Place, Facts>): Promise<LetterOutcome | undefined> {
    const letter = choose(found);
    const outcome = await redriver.take(letter);
    const record = 'kept' in letter ? {} : { scope: letter.scope, key: letter.key };
    if (outcome !== undefined) onLetter?.({ ...found.place, ...record, ...outcome });
    return outcome;
  }

  return { ...redriver, take };
}
