import { InvalidKeyError } from '../api/errors.ts';
import { isPromise } from '../lib/is-promise.ts';
import { causeOf, nameOfThrown } from '../payload/stored-error.ts';

/** What a key function finds. Throws `InvalidKeyError` when that is nothing, or when it throws itself. */
export function foundKey(find: () => string | undefined): string {
  let key: unknown;
  try {
    key = find();
  } catch (error) {
    if (error instanceof InvalidKeyError) throw error;
    throw new InvalidKeyError(
      `the key function threw (${nameOfThrown(error)}): have it return undefined for a message without a key`,
      causeOf(error),
    );
  }
  if (isPromise(key)) throw new InvalidKeyError('the key function is async: it must return the key at once');
  if (key === undefined) throw new InvalidKeyError('the key function found no key');
  if (typeof key !== 'string')
    throw new InvalidKeyError('the key function returned no text: a key is a string');
  return key;
}
