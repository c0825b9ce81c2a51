/**
 * The error for a COMMIT that the server answered with a rollback: `25P02` is the state that the transaction was in.
 */
export function rolledBack(): Error {
  const message =
    'the transaction was rolled back after the handler had returned: a statement that it did not wait for has failed. ' +
    'Await every statement of the transaction';
  return Object.assign(new Error(message), { code: '25P02' });
}
