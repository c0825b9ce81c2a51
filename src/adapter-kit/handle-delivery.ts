import { InvalidKeyError } from '../errors.ts';
import { isPromise } from '../is-promise.ts';
import type { Handled } from './handled.ts';
import type { Outcome } from '../outcome.ts';
import { causeOf } from '../stored-error.ts';

/** Handles a delivery under the key that is found for it, which is empty where there is none. It never throws. */
export async function handleDelivery<R>(
  findKey: () => string | undefined,
  handle: (key: string) => Promise<Outcome<R>>,
): Promise<{ readonly key: string; readonly handled: Handled<R> }> {
  let key = '';
  try {
    key = keyFrom(findKey);
    return { key, handled: { outcome: await handle(key) } };
  } catch (thrown) {
    return { key, handled: { thrown } };
  }
}

function keyFrom(findKey: () => string | undefined): string {
  let key: string | undefined;
  try {
    key = findKey();
  } catch (error) {
    if (error instanceof InvalidKeyError) throw error;
    throw new InvalidKeyError('the key function threw', causeOf(error));
  }
  if (isPromise(key)) throw new InvalidKeyError('the key function is async: it must return the key at once');
  if (key === undefined) throw new InvalidKeyError('the key function found no key');
  return key;
}
