/** What a client has ended with. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('the client ended with no error', { cause: thrown });
}
