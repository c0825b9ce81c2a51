import { createMemoryStore } from '../../../testing/index.ts';
import type { ControlledStore } from '../../../testing/contracts/store/actor.ts';

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
