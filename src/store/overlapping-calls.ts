import { InvalidOptionsError } from '../api/errors.ts';

/** What a call of `within` is refused with while another one is under way in the same transaction. */
export function overlappingCalls(): InvalidOptionsError {
  const message = 'has another call of within under way: await that one first, or use another transaction';
  return new InvalidOptionsError('within', [{ field: 'transaction', message }]);
}
