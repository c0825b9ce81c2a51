import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily, NOT_AN_OBJECT, satisfying, withMethods, consumerFields } from '../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import type { OnceEachKafkaMessageOptions } from '../kafka/index.ts';
import type { SqsWorkerOptions } from '../sqs/index.ts';

/** What the settings of all consumers have in place of the option of the same name. */
interface OwnHandleOnce {
  /** Instead of that of the module. */
  readonly handleOnce?: AnyHandleOnce | undefined;
}

type AnySchema = StandardSchemaV1 | undefined;

type KafkaOptions = OnceEachKafkaMessageOptions<AnySchema, unknown, boolean>;

type KafkaConsumer = KafkaOptions['consumer'];

/** A queue: the options of `createSqsWorker`. */
export interface SqsSettings
  extends Omit<SqsWorkerOptions<AnySchema, unknown, boolean>, 'handleOnce'>, OwnHandleOnce {}

/** A consumer of kafkajs, made by `kafka.consumer({ groupId })` and not connected. */
export interface KafkaModuleConsumer extends KafkaConsumer {
  /** As kafkajs has it. The module calls it at the start of the application. */
  connect(): Promise<void>;
  /** As kafkajs has it. */
  subscribe(subscription: { topics: string[]; fromBeginning?: boolean }): Promise<void>;
}

/** Topics of one consumer group: the options of `onceEachKafkaMessage`. */
export interface KafkaSettings extends Omit<KafkaOptions, 'consumer' | 'handleOnce'>, OwnHandleOnce {
  /** The module connects, subscribes and runs it, and disconnects it when the application ends. */
  readonly consumer: KafkaModuleConsumer;
  /** What it subscribes to. Those of `retry` too. */
  readonly topics: readonly string[];
}

/** Options of `HandleOnceModule`. */
export interface HandleOnceModuleOptions {
  /** Made by `createHandleOnce`: for all consumers, and for `@InjectHandleOnce()`. */
  readonly handleOnce: AnyHandleOnce;
  /** Queues, by the names in `@OnSqsMessage`. Default: none. */
  readonly sqs?: Readonly<Record<string, SqsSettings>> | undefined;
  /** Topics, by the names in `@OnKafkaMessage`. Default: none. */
  readonly kafka?: Readonly<Record<string, KafkaSettings>> | undefined;
}

const BY_NAME = { error: 'must be an object: settings by the name of their handler' };

/** What settings themselves have to be is checked by `createSqsWorker` and `onceEachKafkaMessage`. */
export const moduleOptions = lazily(() =>
  z.strictObject(
    {
      handleOnce: consumerFields().handleOnce,
      sqs: byName<SqsSettings>(satisfying(isObject, 'the options of createSqsWorker, without handleOnce')),
      kafka: byName<KafkaSettings>(
        z.looseObject(
          {
            consumer: withMethods<KafkaModuleConsumer>(
              ['connect', 'subscribe', 'run', 'disconnect'],
              'a consumer of kafkajs, made by kafka.consumer({ groupId })',
            ),
            topics: satisfying<readonly string[]>(isTopics, 'a list of one or more names of topics'),
          },
          {
            error: 'must be { consumer, topics } and the options of onceEachKafkaMessage, without handleOnce',
          },
        ) as unknown as z.ZodMiniType<KafkaSettings, KafkaSettings>,
      ),
    },
    NOT_AN_OBJECT,
  ),
);

function byName<Settings>(settings: z.ZodMiniType<Settings, Settings>) {
  return z._default(z.record(z.string(), settings, BY_NAME), {});
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isTopics(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((topic) => typeof topic === 'string');
}
