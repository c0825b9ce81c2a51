import { InvalidOptionsError } from '../words/errors.ts';
import { isPromise } from '../lib/is-promise.ts';

/** Of a function that broke its type, or never worked: whose option it is, only an adapter knows. */
class WrongFunctionError extends InvalidOptionsError {
  constructor(field: string, message: string, options?: ErrorOptions) {
    super('handleOnce', [{ field, message }], options);
  }
}

/**
 * Throws `InvalidOptionsError` where a function of the user returned a promise: its code is at fault, not the message.
 */
export function refuseAsync(field: 'key' | 'body' | 'fingerprint', returned: unknown): void {
  if (isPromise(returned))
    throw wrongFunction(field, 'must return its result at once, but returned a promise');
}

/** The error of a function that cannot work, such as one that returned what its type forbids. */
export function wrongFunction(field: string, message: string, options?: ErrorOptions): InvalidOptionsError {
  return new WrongFunctionError(field, message, options);
}

/** What was thrown, with the function that got the options where a function among them is at fault. */
export function inOptionsOf(subject: string, thrown: unknown): unknown {
  if ((thrown as Partial<Error> | undefined)?.constructor !== WrongFunctionError) return thrown;
  const { issues, cause } = thrown as WrongFunctionError;
  return new InvalidOptionsError(subject, issues, cause === undefined ? {} : { cause });
}
