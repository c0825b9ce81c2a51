/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database and without a broker. And what
 * an adapter, a store and a Postgres client of your own have to promise, as test cases.
 *
 * @module handle-once/testing
 */
export { createMemoryStore, type MemoryStore } from './store/memory.ts';
export type { MemoryRecordView } from './store/memory-record.ts';
export { adapterContract } from './adapter/contract/cases.ts';
export type { ScriptedMessage } from './adapter/contract/script.ts';
export type { AdapterAbilities, AdapterUnderTest, ContractSetup } from './adapter/contract/setup.ts';
export type { ControlledStore } from './store/contract/actor.ts';
export { type StoreAbilities, storeContract, type StoreUnderTest } from './store/contract/cases.ts';
export { clientContract } from './store/postgres/contract/cases.ts';
export type {
  ClientAbilities,
  ClientLibrary,
  ClientUnderTest,
  UnreachableClient,
} from './store/postgres/contract/client-under-test.ts';
export type { ContractCase } from './testing/contract-case.ts';
export { type Crash, type CrashReport, crashTest, type CrashTestOptions } from './testing/crash-test.ts';
export { createAttempt, type CreateAttemptOptions } from './testing/create-attempt.ts';
export type { FakeBatch, FakeBatchPayload, FakeOffsets } from './testing/fake-batch.ts';
export {
  createFakeConsumer,
  type FakeConsumer,
  type FakeConsumerOptions,
  type FakeMessagePayload,
  type FakePartitions,
  type FakeRunConfig,
} from './testing/fake-consumer.ts';
export type { FakeMessage, FetchedFakeMessage } from './testing/fake-log.ts';
export {
  createFakeQueue,
  type FakeDeadLetter,
  type FakeQueue,
  type FakeQueueMessage,
  type FakeQueueOptions,
  type FakeSqsClient,
  type FakeSqsCommand,
} from './testing/fake-queue.ts';
export type { Effect, Effects } from './testing/watched-effects.ts';
