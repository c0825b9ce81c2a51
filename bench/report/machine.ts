import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import postgres from 'postgres';

const GIB = 1_073_741_824;

export interface Environment {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGiB: number };
  readonly versions: Readonly<Record<string, string>>;
  /** Settings of the server that decide whether a commit outlives a power cut. */
  readonly durability: Readonly<Record<string, string>>;
}

const PACKAGES = ['postgres', 'kafkajs', '@aws-sdk/client-sqs', 'ioredis', 'lru-cache'];
const PEERS = ['@dbos-inc/dbos-sdk', 'sqs-consumer'];
const DURABILITY = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'];

export async function environment(postgresUrl: string): Promise<Environment> {
  const sql = postgres(postgresUrl, { max: 1 });
  const rows = await sql<{ name: string; value: string }[]>`
    select name, current_setting(name) as value from pg_settings
    where name = any(${['server_version', ...DURABILITY]}) order by name`;
  await sql.end();
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  const ofServer = (name: string): string => settings.get(name) ?? 'unknown';
  const [cpu] = cpus();
  return {
    machine: {
      cpu: cpu?.model ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / GIB),
    },
    versions: {
      node: process.version,
      postgresql: ofServer('server_version'),
      ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(`../../node_modules/${name}`)])),
      ...Object.fromEntries(PEERS.map((name) => [name, versionOf(`../node_modules/${name}`)])),
    },
    durability: Object.fromEntries(DURABILITY.map((name) => [name, ofServer(name)])),
  };
}

function versionOf(folder: string): string {
  const file = new URL(`${folder}/package.json`, import.meta.url);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : 'absent';
}

/** Of the last minute: what else the machine has to do makes every figure worse. */
export function load(): number {
  return Number((loadavg()[0] ?? 0).toFixed(2));
}
