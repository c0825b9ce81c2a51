import { InvalidOptionsError } from '../api/errors.ts';

/** What `within` refuses a transaction with. */
export function unusableTransaction(message: string): InvalidOptionsError {
  return new InvalidOptionsError('within', [{ field: 'transaction', message }]);
}

/** The same while another call is under way in it. */
export function overlappingCalls(): InvalidOptionsError {
  return unusableTransaction(
    'has another call of within under way: await that one first, or use another transaction',
  );
}
