import type { Store } from '../../src/store/store.ts';

/** A store as a process that can die uses it: from then on nothing arrives, and nothing is answered. */
export function createMortalStore(store: Store): Store & { die(): void } {
  let isDead = false;

  function whileAlive<Request, Terms, Reply>(verb: (requests: Request, terms: Terms) => Promise<Reply>) {
    return (requests: Request, terms: Terms): Promise<Reply> =>
      isDead ? new Promise(() => undefined) : verb(requests, terms);
  }

  return {
    claim: whileAlive((requests, terms) => store.claim(requests, terms)),
    settle: whileAlive((requests, scope) => store.settle(requests, scope)),
    extend: whileAlive((requests, terms) => store.extend(requests, terms)),
    die() {
      isDead = true;
    },
  };
}
