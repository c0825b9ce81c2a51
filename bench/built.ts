import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Core from 'handle-once';
import type * as Kafka from 'handle-once/kafka';
import type * as Operations from 'handle-once/operations';
import type * as Sqs from 'handle-once/sqs';
import { build } from 'tsdown';

const OUT = fileURLToPath(new URL('../node_modules/.cache/handle-once/bench', import.meta.url));

/** Builds the package as it is published: run from source, each inner function of ours is named again at every call. */
export async function buildPackage(): Promise<void> {
  await build({ outDir: OUT, dts: false, logLevel: 'error' });
}

export const built = {
  core: () => load<typeof Core>('index.js'),
  kafka: () => load<typeof Kafka>('kafka.js'),
  operations: () => load<typeof Operations>('operations.js'),
  sqs: () => load<typeof Sqs>('sqs.js'),
};

async function load<Module>(file: string): Promise<Module> {
  const path = join(OUT, file);
  if (!existsSync(path)) throw new Error('the package is not built');
  return (await import(pathToFileURL(path).href)) as Module;
}
