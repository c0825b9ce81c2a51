/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database.
 *
 * @module
 */
export { createMemoryStore, type MemoryStore } from './store/memory.ts';
export { adapterContract, type ContractCase } from './adapter/contract/cases.ts';
export type { ScriptedMessage } from './adapter/contract/script.ts';
export type { AdapterAbilities, AdapterUnderTest, ContractSetup } from './adapter/contract/setup.ts';
