import { InvalidOptionsError } from '../api/errors.ts';
import type { Handle } from './handle.ts';

/** The transactions with a call under way, of all instances. */
const busy = new Set<unknown>();

/**
 * Refuses a call while another is under way in the same transaction, also from inside its handler. Their savepoints
 * would overlap: a rollback of one would undo what the other has put on record.
 */
export function oneAtATime(transaction: unknown, handle: Handle<[]>): Handle<[]> {
  return async (delivery) => {
    if (busy.has(transaction)) throw stillUnderWay();
    busy.add(transaction);
    try {
      return await handle(delivery);
    } finally {
      busy.delete(transaction);
    }
  };
}

function stillUnderWay(): InvalidOptionsError {
  const message = 'has another call of within under way: await that one first, or use another transaction';
  return new InvalidOptionsError('within', [{ field: 'transaction', message }]);
}
