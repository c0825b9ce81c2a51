/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database.
 *
 * @module
 */
export { createMemoryStore, type MemoryStore } from './store/memory.ts';
