import { isThenable } from '../lib/is-promise.ts';

/** Whether it is a list with promises, or with queries of `postgres`, which are sent only when they are awaited. */
export function hasPromises(returned: unknown): returned is unknown[] {
  return Array.isArray(returned) && returned.some(isThenable);
}

/** The results of many messages, each awaited, as are the promises in a list that is the result of one. */
export async function awaitedResults(returned: readonly unknown[]): Promise<readonly unknown[]> {
  // A hole becomes undefined.
  const results = Array.from(returned);
  if (!results.some((result) => isThenable(result) || hasPromises(result))) return results;
  // All at once: one that rejects while another is awaited ends the process.
  return await Promise.all(
    results.map((result) => (isThenable(result) ? Promise.resolve(result).then(listed) : listed(result))),
  );
}

function listed(result: unknown): unknown {
  return hasPromises(result) ? Promise.all(result) : result;
}
