import { InvalidKeyError, InvalidOptionsError } from '../words/errors.ts';
import { refuseAsync, wrongFunction } from '../options/wrong-function.ts';
import { causeOf, nameOfThrown } from '../payload/stored-error.ts';

/**
 * The key that a key function finds. Throws `InvalidKeyError` when it finds none or throws: the message is at fault.
 * Throws `InvalidOptionsError` when it returns a promise or no string, or has never worked: the function is at fault.
 */
export function foundKey(find: () => string | undefined): string {
  let key: unknown;
  try {
    key = find();
  } catch (error) {
    if (error instanceof InvalidKeyError || error instanceof InvalidOptionsError) throw error;
    throw new InvalidKeyError(
      `the key function threw (${nameOfThrown(error)}): the message is refused. Correct the function for such messages`,
      causeOf(error),
    );
  }
  refuseAsync('key', key);
  if (key === undefined || key === null) {
    throw new InvalidKeyError(
      'the key function found no key: the message is refused. Correct what sends it, or the function',
    );
  }
  if (typeof key !== 'string')
    throw wrongFunction('key', `must return a string, but returned a ${typeof key}`);
  return key;
}
