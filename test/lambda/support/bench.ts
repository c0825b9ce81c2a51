import { createHandleOnce, type HandleOnce, type HandleOnceOptions } from 'handle-once';
import { createMemoryStore, type MemoryStore } from 'handle-once/testing';

export interface Bench {
  readonly store: MemoryStore;
  readonly handleOnce: HandleOnce;
}

/** A `handleOnce` on a store of its own, with a lease that suits an invocation of a minute. */
export function bench(options: Partial<HandleOnceOptions> = {}): Bench {
  const store = createMemoryStore();
  return { store, handleOnce: createHandleOnce({ store, scope: 'orders', ...options }) };
}
