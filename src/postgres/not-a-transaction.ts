import { InvalidOptionsError } from '../words/errors.ts';

/** What `within` throws before it claims: on anything but a transaction a rollback would undo nothing. */
export function notATransaction(expected: string): InvalidOptionsError {
  return new InvalidOptionsError('within', [{ field: 'transaction', message: `must be ${expected}` }]);
}
