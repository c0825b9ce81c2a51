/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database and without a broker. And what
 * an adapter, a store and a Postgres client of your own have to promise, as test cases.
 *
 * @module handle-once/testing
 */
export { createMemoryStore, type MemoryStore } from './memory/memory.ts';
export type { MemoryRecordView } from './memory/memory-record.ts';
export { adapterContract } from './contracts/adapter/cases.ts';
export type { ScriptedMessage } from './contracts/adapter/script.ts';
export type { AdapterAbilities, AdapterUnderTest, ContractSetup } from './contracts/adapter/setup.ts';
export type { ControlledStore } from './contracts/store/actor.ts';
export { type StoreAbilities, storeContract, type StoreUnderTest } from './contracts/store/cases.ts';
export { clientContract } from './contracts/client/cases.ts';
export type {
  ClientAbilities,
  ClientLibrary,
  ClientUnderTest,
  UnreachableClient,
} from './contracts/client/client-under-test.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { type Crash, type CrashReport, crashTest, type CrashTestOptions } from './crash/crash-test.ts';
export { createAttempt, type CreateAttemptOptions } from './create-attempt.ts';
export type { FakeBatch, FakeBatchPayload, FakeOffsets } from './fakes/fake-batch.ts';
export {
  createFakeConsumer,
  type FakeConsumer,
  type FakeConsumerOptions,
  type FakeMessagePayload,
  type FakePartitions,
  type FakeRunConfig,
} from './fakes/fake-consumer.ts';
export type { FakeMessage, FetchedFakeMessage } from './fakes/fake-log.ts';
export {
  createFakeQueue,
  type FakeDeadLetter,
  type FakeQueue,
  type FakeQueueMessage,
  type FakeQueueOptions,
  type FakeSqsClient,
  type FakeSqsCommand,
} from './fakes/fake-queue.ts';
export type { Effect, Effects } from './crash/watched-effects.ts';
