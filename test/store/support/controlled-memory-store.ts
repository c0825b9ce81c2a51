import { createMemoryStore } from '../../../src/testing.ts';
import type { ControlledStore } from '../../../src/store/contract/actor.ts';

/** The memory store, whose clock can be moved. */
export function controlledMemoryStore(): ControlledStore {
  const store = createMemoryStore();
  return {
    store,
    advance(_, milliseconds) {
      store.advance(milliseconds);
      return Promise.resolve();
    },
  };
}
