/** Where a transaction's COMMIT was answered with a rollback: `25P02` is the state that it was in. */
export function rolledBack(): Error {
  const message =
    'the transaction was rolled back after the handler had returned: a statement that it did not wait for has failed. ' +
    'Await every statement of the transaction';
  return Object.assign(new Error(message), { code: '25P02' });
}
