import { expectTypeOf, test } from 'vitest';
import type { KnexDatabase } from '../../adapters/clients/from-knex.ts';
import type { KyselyDatabase } from '../../adapters/clients/from-kysely.ts';
import type { PgConnection, PgPool } from '../../adapters/clients/pg-pool.ts';
import type { Pglite } from '../../adapters/clients/from-pglite.ts';
import type { PgOptions, PgQuery } from '../../adapters/clients/pg-query.ts';
import type {
  Around,
  Attempt,
  Backoff,
  CallOptions,
  DatabaseClient,
  DatabaseQueries,
  EventError,
  Failed,
  HandleOnce,
  HandleOnceError,
  HandleOnceEvent,
  HandleOnceOptions,
  HandleOnceSettings,
  HandleOnceWithSchema,
  Handler,
  MessageSource,
  MigrateResult,
  Outcome,
  Pending,
  StoredError,
  Succeeded,
} from '../../src/index.ts';
import type { FingerprintOptions } from '../../src/options/fingerprint-options.ts';
import type { PostgresClient, PostgresQueries } from '../../src/postgres/postgres-client.ts';
import type {
  cloudEvents,
  debezium,
  Envelope,
  eventBridge,
  s3,
  sns,
  WrappedMessage,
} from 'handle-once/envelopes';
import type { OpenTelemetry, OpenTelemetryOptions } from '../../adapters/otel/index.ts';
import type { Store } from '../../src/store.ts';
import type {
  CrashReport,
  CrashTestOptions,
  Effects,
  FakeConsumer,
  FakeQueue,
  MemoryRecordView,
} from 'handle-once/testing';
import type {
  KafkaDelivery,
  KafkaEvent,
  KafkaHandler,
  KafkaMessage,
  OnceEachKafkaMessage,
  OnceEachKafkaMessageOptions,
} from '../../adapters/kafka/index.ts';
import type { ConsumerTimeouts } from '../../adapters/kafka/options/options.ts';
import type { KafkaAdmin, KafkaConsumer, KafkaProducer } from '../../adapters/kafka/log/kafkajs-types.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Whether `any` is in a type: itself, in a property, a parameter, a result or what a promise holds. */
type HoldsAny<T> =
  IsAny<T> extends true
    ? true
    : T extends (...args: infer Parameters) => infer Result
      ? true extends
          | IsAny<Result>
          | IsAny<Awaited<Result>>
          | { [Index in keyof Parameters]: IsAny<Parameters[Index]> }[number]
        ? true
        : PropertyHoldsAny<T>
      : PropertyHoldsAny<T>;

type PropertyHoldsAny<T> = true extends { [Name in keyof T]-?: IsAny<T[Name]> }[keyof T] ? true : false;

test('the check for any finds any', () => {
  /* oxlint-disable typescript/no-explicit-any */
  expectTypeOf<HoldsAny<any>>().toEqualTypeOf<true>();
  expectTypeOf<HoldsAny<{ a: string; b?: any }>>().toEqualTypeOf<true>();
  expectTypeOf<HoldsAny<(a: string, b: any) => void>>().toEqualTypeOf<true>();
  expectTypeOf<HoldsAny<() => Promise<any>>>().toEqualTypeOf<true>();
  /* oxlint-enable typescript/no-explicit-any */
  expectTypeOf<HoldsAny<{ a: string; b(c: unknown): void }>>().toEqualTypeOf<false>();
});

test('no public type holds any', () => {
  expectTypeOf<HoldsAny<Around>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Attempt>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Attempt['childKey']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Backoff>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<CallOptions>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Failed>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Pending>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Succeeded<string>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<StoredError>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<FingerprintOptions<string, [message: string]>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnce>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnceWithSchema<StandardSchemaV1>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnceError>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnceEvent>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnceOptions>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<NonNullable<HandleOnceOptions['onEvent']>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<HandleOnceSettings>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Handler<string>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<MessageSource>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<MigrateResult>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PostgresClient>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PostgresClient['begin']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PostgresQueries['unsafe']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<OpenTelemetry>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<OpenTelemetryOptions>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Store>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Store['claim']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Store['settle']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Outcome<unknown>>>().toEqualTypeOf<false>();
});

test('no public type of the clients holds any', () => {
  expectTypeOf<HoldsAny<DatabaseClient>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<DatabaseClient['begin']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<DatabaseQueries['query']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<DatabaseQueries['execute']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KnexDatabase<unknown>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KnexDatabase<unknown>['raw']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KyselyDatabase<unknown>['executeQuery']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PgConnection>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PgPool<unknown>['query']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Pglite<unknown>['query']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PgOptions>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<PgQuery>>().toEqualTypeOf<false>();
});

test('no public type of envelopes holds any', () => {
  expectTypeOf<HoldsAny<WrappedMessage>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Envelope<unknown>['key']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<(typeof sns)['parse']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<(typeof cloudEvents)['parse']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<ReturnType<(typeof eventBridge)['parse']>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<ReturnType<(typeof s3)['parse']>[number]>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<NonNullable<ReturnType<(typeof debezium)['parse']>>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<(typeof sns)['fingerprint']>>().toEqualTypeOf<false>();
});

test('no public type of the test helpers holds any', () => {
  expectTypeOf<HoldsAny<CrashTestOptions<Effects, string>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<CrashReport<'charge'>['crashes'][number]>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<FakeConsumer>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<FakeQueue>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<FakeQueue['client']['send']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<MemoryRecordView>>().toEqualTypeOf<false>();
});

test('no public type of Kafka holds any', () => {
  type Options = OnceEachKafkaMessageOptions<StandardSchemaV1, string>;
  expectTypeOf<HoldsAny<ConsumerTimeouts>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaAdmin['describeConfigs']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaConsumer>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaConsumer['on']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaDelivery<unknown>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaEvent>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaHandler<string>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaMessage>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<KafkaProducer['send']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<OnceEachKafkaMessage>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<OnceEachKafkaMessage['eachBatch']>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<Options>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<NonNullable<Options['parse']>>>().toEqualTypeOf<false>();
  expectTypeOf<HoldsAny<NonNullable<Options['onEvent']>>>().toEqualTypeOf<false>();
});

test('what is not known is unknown, not any', () => {
  expectTypeOf<Parameters<Backoff>[1]>().toBeUnknown();
  expectTypeOf<EventError['original']>().toBeUnknown();
  expectTypeOf<ReturnType<NonNullable<HandleOnceOptions['onEvent']>>>().toBeUnknown();
});
