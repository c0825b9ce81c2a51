import { createMemoryStore } from 'handle-once/testing';
import type { Store } from 'handle-once/store';
import { type Gate, gate } from '../../support/gate.ts';

/** A store whose claims wait, and what opens when the first of them has come. */
export function heldClaims(until: Promise<void>): { readonly store: Store; readonly claiming: Gate } {
  const claiming = gate();
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    async claim(requests, terms) {
      claiming.open();
      await until;
      return await memory.claim(requests, terms);
    },
  };
  return { store, claiming };
}

/** A store whose settles wait, and what opens when the first of them has come. */
export function heldSettles(until: Promise<void>): { readonly store: Store; readonly settling: Gate } {
  const settling = gate();
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    async settle(...args) {
      settling.open();
      await until;
      return await memory.settle(...args);
    },
  };
  return { store, settling };
}
