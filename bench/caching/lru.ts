import { LRUCache } from 'lru-cache';
import type { Cache, Cached } from './cache.ts';

/** A cache in the worker's own memory: it knows what this process has handled, and nothing of the others. */
export function lruCache(max: number): Cache {
  const entries = new LRUCache<string, Cached>({ max });
  return {
    get: (key) => Promise.resolve(entries.get(key)),
    set(key, cached) {
      entries.set(key, cached);
    },
    serverCpu: () => Promise.resolve(0),
  };
}
