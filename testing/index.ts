/**
 * For unit tests of code that uses `handle-once`: the same behaviour without a database and without a broker.
 *
 * @module handle-once/testing
 */
export { createMemoryStore, type MemoryStore } from './memory/memory.ts';
export type { MemoryRecordView } from './memory/memory-record.ts';
export { type Crash, type CrashReport, crashTest, type CrashTestOptions } from './crash/crash-test.ts';
export { createAttempt, type CreateAttemptOptions } from './create-attempt.ts';
export { createFakeConsumer, type FakeConsumer, type FakeConsumerOptions } from './fakes/fake-consumer.ts';
export type { FakeMessage } from './fakes/fake-log.ts';
export {
  createFakeQueue,
  type FakeDeadLetter,
  type FakeQueue,
  type FakeQueueMessage,
  type FakeQueueOptions,
  type FakeSqsClient,
} from './fakes/fake-queue.ts';
export type { Effects } from './crash/watched-effects.ts';
