import { overlappingCalls } from '../store/unusable-transaction.ts';
import type { Handle } from './handle.ts';

/** The transactions with a call under way, of all instances. Weak, since a handler may never end. */
const busyObjects = new WeakSet<object>();
/** Those that a client of the user's own has as an id. */
const busyIds = new Set<unknown>();

/**
 * Refuses a call while another is under way in the same transaction, also from inside its handler, before anything is
 * sent. A library can have several objects for one transaction, as for its savepoints: these the database tells apart.
 */
export function oneAtATime(transaction: unknown, handle: Handle<[]>): Handle<[]> {
  const busy = (isObject(transaction) ? busyObjects : busyIds) as Set<unknown>;
  return async (delivery) => {
    if (busy.has(transaction)) throw overlappingCalls();
    busy.add(transaction);
    try {
      return await handle(delivery);
    } finally {
      busy.delete(transaction);
    }
  };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
