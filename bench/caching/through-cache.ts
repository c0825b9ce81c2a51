import type { Outcome } from 'handle-once';
import type { Cache } from './cache.ts';

interface Message {
  readonly key: string;
  readonly content: string;
}

/**
 * Answers from a cache what has succeeded with the same content, and has everything else handled.
 *
 * Only a success is kept: a pending record changes, and a failed one can be retried. A cache cannot say that a message
 * is new, since only the claim of its record makes a caller its owner.
 */
export async function throughCache(
  cache: Cache,
  { key, content }: Message,
  handle: () => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  const cached = await cache.get(key);
  if (cached?.content === content) {
    const { attempts, result } = cached;
    return { state: 'succeeded', replayed: true, attempts, result };
  }
  const outcome = await handle();
  if (outcome.state === 'succeeded' && outcome.resultOmitted === undefined) {
    const { attempts, result } = outcome;
    cache.set(key, { content, attempts, result });
  }
  return outcome;
}
