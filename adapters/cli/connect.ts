import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { AnyHandleOnce, SqlClient } from '../../src/index.ts';
import { fromPg } from '../clients/index.ts';
import type { RedriveTopicOptions } from '../kafka/index.ts';
import type { TopicConfigs } from '../shared/kafka/topic-retention.ts';
import type { RedriveQueueOptions } from '../sqs/index.ts';
import { UsageError } from './errors.ts';
import { inOneLine } from './one-line.ts';

/** A database, and how to let go of it. */
export interface Connection {
  readonly sql: SqlClient;
  readonly end: () => Promise<void>;
}

export interface ConnectOptions {
  readonly databaseUrl?: string | undefined;
  /** A module that exports the clients. */
  readonly config?: string | undefined;
}

/** The `sql` of the module `--config`, or a client for `DATABASE_URL` by whichever library is installed. */
export async function connect({ databaseUrl, config }: ConnectOptions): Promise<Connection> {
  const configured = config === undefined ? undefined : await fromConfig(config);
  if (configured !== undefined) return configured;
  const url = databaseUrl ?? process.env['DATABASE_URL'];
  if (url === undefined || url === '') {
    throw new UsageError(
      'no database is named: set DATABASE_URL, or give --database-url, or a --config that exports sql',
    );
  }
  if (!URL.canParse(url)) {
    throw new UsageError(
      'DATABASE_URL, or --database-url, is no URL: write postgres://user:password@host:5432/database',
    );
  }
  const connection = (await withPostgres(url)) ?? (await withPg(url));
  if (connection === undefined) {
    throw new UsageError('no Postgres client is installed: run npm install postgres, or npm install pg');
  }
  return connection;
}

/** What is asked of a queue, of an `SQSClient`. */
export interface SqsClient {
  send(
    command: object,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<{ readonly Attributes?: Readonly<Record<string, string>> }>;
}

type Clients = RedriveTopicOptions['kafka'];

/** What is asked of Kafka. */
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

export async function loadConfig(path: string): Promise<ConfigModule> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as ConfigModule & {
      readonly default?: ConfigModule;
    };
    return { ...module.default, ...module };
  } catch (error) {
    throw new UsageError(`${path} cannot be loaded: ${inOneLine(error)}`);
  }
}

async function fromConfig(path: string): Promise<Connection | undefined> {
  const { sql } = await loadConfig(path);
  if (sql === undefined) return undefined;
  return { sql, end: () => letGo(sql.end?.()) };
}

/** A client whose connection has broken may never end: the command must, with what the database said. */
const END_MS = 5_000;

/** One for the statement, one for what runs beside a transaction. */
const CONNECTIONS = 2;

async function withPostgres(url: string): Promise<Connection | undefined> {
  const module = await installed<{ readonly default: (url: string, options: object) => Ending & SqlClient }>(
    'postgres',
  );
  if (module === undefined) return undefined;
  const sql = module.default(url, { max: CONNECTIONS, onnotice: () => undefined, fetch_types: false });
  return { sql, end: () => letGo(sql.end()) };
}

async function withPg(url: string): Promise<Connection | undefined> {
  type Pool = Ending & Parameters<typeof fromPg>[0] & { on(event: 'error', listener: () => void): unknown };
  const module = await installed<{ readonly default: { readonly Pool: new (options: object) => Pool } }>(
    'pg',
  );
  if (module === undefined) return undefined;
  const pool = new module.default.Pool({ connectionString: url, max: CONNECTIONS });
  // A connection that breaks while it is idle: the next statement opens another, or says what is wrong.
  pool.on('error', () => undefined);
  return { sql: fromPg(pool), end: () => letGo(pool.end()) };
}

async function letGo(ended: Promise<void> | undefined): Promise<void> {
  await Promise.race([Promise.resolve(ended).catch(() => undefined), sleep(END_MS)]);
}

interface Ending {
  end(): Promise<void>;
}

/** A library of the project that the command is run in; undefined where it has none. */
export async function installed<Module>(name: string): Promise<Module | undefined> {
  const fromProject = createRequire(join(process.cwd(), 'package.json'));
  let path: string;
  try {
    path = fromProject.resolve(name);
  } catch {
    return undefined;
  }
  return (await import(pathToFileURL(path).href)) as Module;
}
