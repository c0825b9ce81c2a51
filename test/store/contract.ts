import { describe, test } from 'vitest';
import { transportCases } from '../../testing/contracts/store/cases.ts';
import {
  type ContractCase,
  type ControlledStore,
  storeContract as storeCases,
} from '../../testing/contracts/index.ts';

export type MakeStore = () => ControlledStore;
export type StoreContract = (name: string, makeStore: MakeStore) => void;

/** What every store must do, as users test one of their own. */
export function storeContract(name: string, makeStore: MakeStore): void {
  describe(`${name} keeps the contract of a store`, () => {
    testAll(storeCases({ can: { lookup: true, steps: true }, open: makeStore }));
  });
}

/** The whole contract with TEST_CONTRACT=full alone. */
export function fullStoreContract(name: string, makeStore: MakeStore): void {
  if (process.env['TEST_CONTRACT'] === 'full') storeContract(name, makeStore);
}

/**
 * For a store that keeps the contract elsewhere, over other settings of a client: each kind of reply, and each kind of
 * text, get through. With TEST_CONTRACT=full it is the whole contract.
 */
export function storeSmokeTest(name: string, makeStore: MakeStore): void {
  fullStoreContract(name, makeStore);
  if (process.env['TEST_CONTRACT'] === 'full') return;
  describe(`${name} works as a store`, () => {
    testAll(transportCases(makeStore));
  });
}

/** A test for each case. */
export function testAll(cases: readonly ContractCase[]): void {
  for (const { name, run } of cases) test(name, run);
}
