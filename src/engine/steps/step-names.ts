import { InvalidOptionsError } from '../../words/errors.ts';
import { checkKey } from '../../options/key.ts';
import { kindOf } from '../../lib/kind-of.ts';

/** The names that an attempt has given to its steps. */
export class StepNames {
  readonly #used = new Set<string>();

  /** Takes one for a call. Throws `InvalidKeyError`, and `InvalidOptionsError` where it is taken already. */
  take(name: string, run: unknown): void {
    checkKey('step name', name);
    if (typeof run !== 'function') throw wrongStep('run', `must be a function, got ${kindOf(run)}`);
    if (this.#used.has(name)) {
      throw wrongStep(
        'name',
        `${JSON.stringify(name)} was used before in this attempt: give each step its own`,
      );
    }
    this.#used.add(name);
  }

  /** After a step that has not ended: the handler may call it again. */
  giveBack(name: string): void {
    this.#used.delete(name);
  }
}

export function wrongStep(field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError('attempt.step', [{ field, message }]);
}
