/**
 * The one order in which statements lock rows, so that two batches cannot wait for one another.
 *
 * Our statements write in the order of their arrays. Sorting here costs a tenth of what a sort in the plan does.
 */
export function inLockOrder<Request extends { readonly key: string }>(
  requests: readonly Request[],
): readonly Request[] {
  return requests.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
