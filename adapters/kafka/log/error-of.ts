import { isError } from '../../../src/adapter-kit.ts';

/** What a client has ended with. */
export function errorOf(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error('the client stopped without an error', { cause: thrown });
}
