// Installs the Kafka clients beside kafkajs, runs the broker suite with each client, and writes case by client:
//   npm run test:kafka-clients
// Confluent's client is built where there is no binary for this machine: that needs a C++ compiler, pkg-config and the
// headers of zlib, OpenSSL, zstd, libcurl and SASL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confluentIsInstalled } from '../test/kafka/broker/support/members/confluent-is-installed.ts';

const CLIENTS = ['kafkajs', 'confluent'];
const FOLDER = fileURLToPath(new URL('../test/kafka-clients/', import.meta.url));
const TABLE = join(FOLDER, 'RESULTS.md');

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: Status }[];
  }[];
}

async function run(file: string, args: string[], env: Record<string, string>): Promise<boolean> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

/** What became of each case, by its file and name. */
async function suite(client: string): Promise<Map<string, Status>> {
  const output = join(mkdtempSync(join(tmpdir(), 'handle-once-clients-')), 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const args = ['vitest', 'run', '--project', 'integration', 'test/kafka/broker', ...reporters];
  await run('npx', args, { KAFKA_CLIENT: client });
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  return new Map(
    testResults.flatMap(({ name, assertionResults }) => {
      const [, file = name] = /broker\/(.+)\.test\.ts$/.exec(name) ?? [];
      return assertionResults.map(({ fullName, status }) => [`${file}: ${fullName}`, status] as const);
    }),
  );
}

function versionOf(manifest: string): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

const WORDS: Readonly<Record<Status, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  skipped: 'not of this client',
  pending: 'not of this client',
  todo: 'not of this client',
};

const installed =
  confluentIsInstalled() ||
  (await run('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], {
    CKJS_LINKING: 'dynamic',
  }));
if (!installed)
  throw new Error('the clients could not be installed: see the head of this file for what they need');

const results = new Map<string, Map<string, Status>>();
for (const client of CLIENTS) results.set(client, await suite(client));

const cases = [...new Set([...results.values()].flatMap((of) => [...of.keys()]))].toSorted();
const rows = cases.map((name) => {
  const cells = CLIENTS.map((client) => WORDS[results.get(client)?.get(name) ?? 'skipped']);
  return `| ${name.replaceAll('|', '\\|')} | ${cells.join(' | ')} |`;
});
const versions = [
  `kafkajs ${versionOf('node_modules/kafkajs/package.json')}`,
  `@confluentinc/kafka-javascript ${versionOf(join(FOLDER, 'node_modules/@confluentinc/kafka-javascript/package.json'))}`,
  `Node ${process.version}`,
  `Linux ${release()}`,
];
writeFileSync(
  TABLE,
  [
    '# The broker suite, case by client',
    '',
    `Written by \`npm run test:kafka-clients\` on ${new Date().toISOString().slice(0, 10)}: ${versions.join(', ')}. Why a case is not of a client is in [Kafka clients](../../docs/kafka-clients.md#what-differs).`,
    '',
    `| case | ${CLIENTS.join(' | ')} |`,
    `| --- | ${CLIENTS.map(() => '---').join(' | ')} |`,
    ...rows,
    '',
  ].join('\n'),
);
await run('npx', ['prettier', '--write', TABLE], {});
if (rows.some((row) => row.includes(WORDS.failed))) process.exit(1);
