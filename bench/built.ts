import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Core from 'handle-once';
import type * as Adapter from 'handle-once/adapter';
import type * as Dashboard from 'handle-once/dashboard';
import type * as Kafka from 'handle-once/kafka';
import type * as KafkaConfluent from 'handle-once/kafka-confluent';
import type * as KafkaPlatformatic from 'handle-once/kafka-platformatic';
import type * as Lambda from 'handle-once/lambda';
import type * as Operations from 'handle-once/operations';
import type * as Otel from 'handle-once/otel';
import type * as Sqs from 'handle-once/sqs';
import type * as Testing from 'handle-once/testing';
import { build } from 'tsdown';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/handle-once/', import.meta.url));
const OUT = join(CACHE, 'bench');
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

const AS_PUBLISHED = {
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  dts: false,
  logLevel: 'error',
} as const;

/** Builds the package as it is published: run from source, each inner function of ours is named again at every call. */
export async function buildPackage(): Promise<void> {
  await build({ outDir: OUT, dts: false, logLevel: 'error' });
}

export const built = {
  adapter: () => load<typeof Adapter>('adapter.js'),
  core: () => load<typeof Core>('index.js'),
  dashboard: () => load<typeof Dashboard>('dashboard.js'),
  kafka: () => load<typeof Kafka>('kafka.js'),
  kafkaConfluent: () => load<typeof KafkaConfluent>('kafka-confluent.js'),
  kafkaPlatformatic: () => load<typeof KafkaPlatformatic>('kafka-platformatic.js'),
  lambda: () => load<typeof Lambda>('lambda.js'),
  operations: () => load<typeof Operations>('operations.js'),
  otel: () => load<typeof Otel>('otel.js'),
  sqs: () => load<typeof Sqs>('sqs.js'),
  testing: () => load<typeof Testing>('testing.js'),
};

/** What is compared with an older build. */
export type Comparable = Pick<typeof built, 'core' | 'kafka' | 'lambda' | 'sqs'>;

const COMPARED = {
  index: 'src/index.ts',
  kafka: 'adapters/kafka/index.ts',
  lambda: 'adapters/lambda/index.ts',
  sqs: 'adapters/sqs/index.ts',
};

/** The package as it was at a commit: built from its own sources, with the libraries of now. */
export async function builtBefore(commit: string): Promise<Comparable> {
  const { stdout } = await run('git', ['rev-parse', '--short', `${commit}^{commit}`], { cwd: ROOT });
  const source = join(CACHE, 'before', stdout.trim());
  const outDir = join(source, 'dist');
  if (!Object.keys(COMPARED).every((name) => existsSync(join(outDir, `${name}.js`)))) {
    await mkdir(source, { recursive: true });
    const archive = join(source, 'source.tar');
    const packed = ['src', 'adapters', 'package.json', 'tsconfig.json'];
    await run('git', ['archive', '--output', archive, commit, ...packed], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', source]);
    await build({ cwd: source, config: false, entry: COMPARED, outDir, ...AS_PUBLISHED });
  }
  return {
    core: () => load<typeof Core>('index.js', outDir),
    kafka: async () => withNewNames(await load<typeof Kafka & OldKafka>('kafka.js', outDir)),
    lambda: () => load<typeof Lambda>('lambda.js', outDir),
    sqs: () => load<typeof Sqs>('sqs.js', outDir),
  };
}

/** The name that `onceEachKafkaMessage` had. */
interface OldKafka {
  readonly onceEachMessage?: typeof Kafka.onceEachKafkaMessage;
}

function withNewNames({ onceEachMessage, ...kafka }: typeof Kafka & OldKafka): typeof Kafka {
  return onceEachMessage === undefined ? kafka : { ...kafka, onceEachKafkaMessage: onceEachMessage };
}

async function load<Module>(file: string, folder = OUT): Promise<Module> {
  const path = join(folder, file);
  if (!existsSync(path)) throw new Error('the package is not built');
  return (await import(pathToFileURL(path).href)) as Module;
}
