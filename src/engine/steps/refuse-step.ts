import { wrongStep } from './step-names.ts';

/** In place of `step` where an attempt has none. */
export function refuseStep(): never {
  throw wrongStep(
    '',
    'is for handlers of one message, without a transaction: a transaction undoes all of its parts together, and a ' +
      'batch runs as a whole',
  );
}
