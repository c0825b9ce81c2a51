import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';

/** A store whose records hold other results than were given, as after a failed repair by hand: by default no JSON. */
export function damagedStore(result = '{'): Store {
  const store = createMemoryStore();
  return {
    ...store,
    settle: (requests, scope) =>
      store.settle(
        requests.map((request) => ({ ...request, settlement: { ...request.settlement, result } })),
        scope,
      ),
  };
}
