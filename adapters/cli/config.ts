import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyHandleOnce, SqlClient } from '../../src/index.ts';
import type { RedriveTopicOptions } from '../kafka/index.ts';
import type { TopicConfigs } from '../shared/kafka/topic-retention.ts';
import type { RedriveQueueOptions } from '../sqs/index.ts';
import { UsageError } from './errors.ts';
import { inOneLine } from './one-line.ts';

/** What doctor needs of an `SQSClient`. */
export interface SqsClient {
  send(
    command: object,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<{ readonly Attributes?: Readonly<Record<string, string>> }>;
}

type Clients = RedriveTopicOptions['kafka'];

/** What doctor and redrive need of Kafka. */
export interface Kafka extends Omit<Clients, 'admin'> {
  admin(): ReturnType<Clients['admin']> & TopicConfigs;
}

/** What a module of `--config` can export, by name or as members of its default. */
export interface ConfigModule {
  readonly sql?: SqlClient & { readonly end?: () => Promise<void> };
  /** A client made by `new SQSClient()`. */
  readonly sqs?: RedriveQueueOptions['client'] & SqsClient;
  /** Made by `new Kafka()` of kafkajs, with its brokers, TLS and SASL. */
  readonly kafka?: Kafka;
  /** The `key` of the consumer of an SQS queue. */
  readonly key?: RedriveQueueOptions['key'];
  /** The one of the workers, for its settings. */
  readonly handleOnce?: AnyHandleOnce;
}

const EXPORTS = ['sql', 'sqs', 'kafka', 'key', 'handleOnce'] as const satisfies (keyof ConfigModule)[];

/** What the module at this path exports; nothing where none is given. Throws `UsageError`. */
export async function loadConfig(path: string | undefined): Promise<ConfigModule> {
  if (path === undefined) return {};
  let exported: ConfigModule;
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as ConfigModule & {
      readonly default?: ConfigModule;
    };
    exported = { ...module.default, ...module };
  } catch (error) {
    throw new UsageError(`${path} cannot be loaded: ${inOneLine(error)}`);
  }
  // Without its client the command would act on the database of DATABASE_URL.
  if (EXPORTS.every((name) => exported[name] === undefined)) {
    throw new UsageError(`${path} exports none of ${EXPORTS.join(', ')}: correct the name of its export`);
  }
  const { sql, handleOnce }: Readonly<Record<string, unknown>> = { ...exported };
  if (sql === null)
    throw new UsageError(`sql of ${path} must be a client made by postgres or handle-once/clients`);
  if (handleOnce !== undefined && !hasSettings(handleOnce))
    throw new UsageError(`handleOnce of ${path} must be made by createHandleOnce`);
  return exported;
}

function hasSettings(handleOnce: unknown): boolean {
  return typeof (handleOnce as Partial<AnyHandleOnce> | null)?.settings === 'object';
}
