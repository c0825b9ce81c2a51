import { StoreError } from '../../../src/index.ts';
import type { Store } from '../../../src/store.ts';

/** What happens to one call of a store in place of just doing it. */
export type Fault = <Reply>(send: () => Promise<Reply>) => Promise<Reply>;

type Verb = 'claim' | 'settle' | 'extend' | 'keep';

/** Faults by verb: a list is used up call by call and then the store works again; a single fault stays. */
export type FaultPlan = Partial<Record<Verb, Fault | readonly Fault[]>>;

/** A real store behind a line that fails as planned. */
export function flakyStore(store: Store, plan: FaultPlan): Store {
  const calls: Record<Verb, number> = { claim: 0, settle: 0, extend: 0, keep: 0 };

  function through<Reply>(verb: Verb, send: () => Promise<Reply>): Promise<Reply> {
    const planned = plan[verb];
    const fault = typeof planned === 'function' ? planned : planned?.[calls[verb]];
    calls[verb] += 1;
    return fault === undefined ? send() : fault(send);
  }

  const keep = store.keep?.bind(store);
  return {
    ...(keep && { keep: (requests, scope) => through('keep', () => keep(requests, scope)) }),
    claim: (requests, terms) => through('claim', () => store.claim(requests, terms)),
    settle: (requests, scope) => through('settle', () => store.settle(requests, scope)),
    extend: (requests, terms) => through('extend', () => store.extend(requests, terms)),
  };
}

export const works: Fault = (send) => send();

/** The store does what it was asked, and the answer never arrives. */
export const losesReply: Fault = async (send) => {
  await send();
  throw new StoreError('the reply was lost', { retriable: true });
};

export const isUnreachable: Fault = () =>
  Promise.reject(new StoreError('the store is unreachable', { retriable: true }));

export const refusesData: Fault = () =>
  Promise.reject(new StoreError('the values were refused', { retriable: false, dataRefused: true }));

export const refusesForGood: Fault = () =>
  Promise.reject(new StoreError('the statement was refused', { retriable: false }));

/** The call reaches the store when `released` resolves. */
export function isHeldUntil(released: Promise<unknown>): Fault {
  return async (send) => {
    await released;
    return send();
  };
}
