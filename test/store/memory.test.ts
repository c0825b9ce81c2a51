import { createMemoryStore } from '../../src/testing.ts';
import { storeContract } from './contract.ts';

storeContract('The memory store', () => {
  const store = createMemoryStore();
  return {
    store,
    advance(_, milliseconds) {
      store.advance(milliseconds);
      return Promise.resolve();
    },
  };
});
