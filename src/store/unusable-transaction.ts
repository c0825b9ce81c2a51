import { InvalidOptionsError } from '../words/errors.ts';

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

/** What a call fails with that another one met. */
export function overlapped(): Error {
  return new Error(
    'another call of within was made while this one was under way, and its end may have taken back what this one ' +
      'wrote: await each call before the next',
  );
}

/** What a call fails with behind whose back its savepoint has ended. */
export function savepointGone(cause?: unknown): Error {
  return new Error(
    'the savepoint of the call is gone: its handler, or what ran beside it in the transaction, ended the ' +
      'transaction, went back to a savepoint from before the call, released one, or reset all settings. What a COMMIT ' +
      'of its own has committed stays. Leave that to the caller of within, and run nothing beside it',
    cause === undefined ? undefined : { cause },
  );
}
