import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';

/** A store whose records hold no JSON where a result should be, as after a failed repair by hand. */
export function damagedStore(): Store {
  const store = createMemoryStore();
  return {
    ...store,
    settle: (requests, scope) =>
      store.settle(
        requests.map((request) => ({ ...request, settlement: { ...request.settlement, result: '{' } })),
        scope,
      ),
  };
}
