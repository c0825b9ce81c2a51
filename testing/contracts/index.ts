/**
 * Contracts: cases that a store, a database client or an adapter of your own has to pass, for any test runner.
 *
 * @module handle-once/contracts
 */
export { adapterContract } from './adapter/cases.ts';
export type { ScriptedMessage } from './adapter/script.ts';
export type { AdapterUnderTest, ContractSetup } from './adapter/setup.ts';
export type { ControlledStore } from './store/actor.ts';
export { storeContract, type StoreUnderTest } from './store/cases.ts';
export { clientContract } from './client/cases.ts';
export type { ClientLibrary, ClientUnderTest } from './client/client-under-test.ts';
export type { ContractCase } from './contract-case.ts';
