import { InvalidOptionsError } from '../../words/errors.ts';

/** In place of `step` where an attempt has none. */
export function refuseStep(): never {
  throw new InvalidOptionsError('attempt.step', [
    {
      field: '',
      message:
        'is for handlers of one message, without a transaction: a transaction undoes all of its parts together, and a ' +
        'batch runs as a whole',
    },
  ]);
}
