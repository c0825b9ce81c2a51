import { InvalidOptionsError } from '../words/errors.ts';
import { isPromise } from '../lib/is-promise.ts';

/**
 * Throws `InvalidOptionsError` where a function of the user returned a promise: its code is at fault, not the message.
 */
export function refuseAsync(field: 'key' | 'body' | 'fingerprint', returned: unknown): void {
  if (isPromise(returned))
    throw wrongReturn(field, 'must return at once what it finds, and returned a promise');
}

/** The error of a function that returned what its type forbids. */
export function wrongReturn(field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError('an option is wrong', [{ field, message }]);
}
