import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConsumersOptions, RunningConsumers } from './sqs/consumers.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** sqs-consumer is installed only here, so the root's types know nothing of it. */
export interface SqsConsumerPeer {
  readonly startConsumers: (options: ConsumersOptions) => RunningConsumers;
}

export async function sqsConsumerPeer(): Promise<SqsConsumerPeer> {
  return (await import(new URL('peers/sqs-consumer.ts', import.meta.url).href)) as SqsConsumerPeer;
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
