import { InvalidKeyError } from '../api/errors.ts';
import { isPromise } from '../lib/is-promise.ts';
import { causeOf } from '../payload/stored-error.ts';

/** What a key function finds. Throws `InvalidKeyError` when that is nothing, or when it throws itself. */
export function foundKey(find: () => string | undefined): string {
  let key: string | undefined;
  try {
    key = find();
  } catch (error) {
    if (error instanceof InvalidKeyError) throw error;
    throw new InvalidKeyError('the key function threw', causeOf(error));
  }
  if (isPromise(key)) throw new InvalidKeyError('the key function is async: it must return the key at once');
  if (key === undefined) throw new InvalidKeyError('the key function found no key');
  return key;
}
