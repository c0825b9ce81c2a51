/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database and without a broker.
 *
 * @module handle-once/testing
 */
export { createMemoryStore, type MemoryStore } from './memory/memory.ts';
export type { MemoryRecordView } from './memory/memory-record.ts';
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
