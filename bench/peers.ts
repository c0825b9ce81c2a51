import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConsumersOptions, RunningConsumers } from './sqs/consumers.ts';
import type { Work } from './core/work.ts';
import type { Contender } from './core/contender.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What other packages are measured with. They are installed only here, so the root's types know nothing of them. */
export interface DbosPeer {
  readonly startDbos: (
    databaseUrl: string,
    works: readonly Work[],
  ) => Promise<{ readonly contenders: readonly Contender[]; readonly stop: () => Promise<void> }>;
}

export interface SqsConsumerPeer {
  readonly startConsumers: (options: ConsumersOptions) => RunningConsumers;
}

export const peers = {
  dbos: async () => (await import(peer('dbos'))) as DbosPeer,
  sqsConsumer: async () => (await import(peer('sqs-consumer'))) as SqsConsumerPeer,
};

function peer(name: string): string {
  return new URL(`peers/${name}.ts`, import.meta.url).href;
}

/** Installs what bench/package.json names, unless it is there. */
export async function installPeers(): Promise<void> {
  if (existsSync(new URL('node_modules', import.meta.url))) return;
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--prefix', FOLDER], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error('what the benchmark compares with is missing: npm ci --prefix bench');
}
