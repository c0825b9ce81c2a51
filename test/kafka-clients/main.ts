// Installs the Kafka clients beside kafkajs, runs the broker suite and the storms with each client, and writes what
// came of it, case by client:
//   npm run test:kafka-clients                   all clients
//   npm run test:kafka-clients -- platformatic   this one; the others stay as they are
//   npm run test:kafka-clients -- --quick        storms of a few steps
// Confluent's client is built where there is no binary for this machine: that needs a C++ compiler, pkg-config and the
// headers of zlib, OpenSSL, zstd, libcurl and SASL. Platformatic's runs on Node 24, which npm brings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { holds, type Report } from '../../proof/chaos/report.ts';
import { NOT_INSTALLED, OTHER_CLIENTS } from '../kafka/broker/support/members/installed-clients.ts';
import { installedNode } from '../support/installed-node.ts';
import { type ClientResults, hasFailed, type Status, type StormResult, tableOf } from './table.ts';

interface Client {
  readonly name: string;
  readonly package: string;
  /** The Node that runs it. */
  readonly node: () => string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'test/kafka-clients');
const RESULTS = join(FOLDER, 'results');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const SEED = 1;

const CLIENTS: readonly Client[] = [
  { name: 'kafkajs', package: 'kafkajs', node: () => process.execPath },
  { name: 'confluent', package: '@confluentinc/kafka-javascript', node: () => process.execPath },
  { name: 'platformatic', package: '@platformatic/kafka', node: () => installedNode(24) },
];

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = CLIENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

async function run(file: string, args: string[], env: Record<string, string>): Promise<boolean> {
  const child = spawn(file, args, { stdio: 'inherit', cwd: ROOT, env: { ...process.env, ...env } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: Status }[];
  }[];
}

type Cases = Record<string, Status>;

/** What became of each case, by its file and name. A file with one that failed runs once more, alone. */
async function suite(client: Client, scratch: string): Promise<Cases> {
  const cases = await runFiles(client, scratch, ['test/kafka/broker']);
  const failed = Object.keys(cases).filter((name) => cases[name] === 'failed');
  if (failed.length === 0) return cases;
  const files = failed.map((name) => `test/kafka/broker/${name.slice(0, name.indexOf(':'))}.test.ts`);
  const second = await runFiles(client, scratch, [...new Set(files), '--no-file-parallelism']);
  for (const [name, status] of Object.entries(second)) {
    if (status === 'failed') cases[name] = 'failed';
    else if (cases[name] === 'failed') cases[name] = 'late';
  }
  return cases;
}

async function runFiles({ name, node }: Client, scratch: string, files: string[]): Promise<Cases> {
  const output = join(scratch, 'suite.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const args = [VITEST, 'run', '--project', 'integration', ...files, ...reporters];
  await run(node(), args, { KAFKA_CLIENT: name });
  const { testResults } = readJson(output) as VitestReport;
  return Object.fromEntries(
    testResults.flatMap(({ name: path, assertionResults }) => {
      const [, file = path] = /broker\/(.+)\.test\.ts$/.exec(path) ?? [];
      return assertionResults.map(({ fullName, status }) => [`${file}: ${fullName}`, status] as const);
    }),
  );
}

async function storms({ name, node }: Client, scratch: string): Promise<readonly StormResult[]> {
  const output = join(scratch, 'storms.json');
  const args = [
    '--import',
    'tsx',
    'proof/chaos/main.ts',
    'kafka',
    '--seed',
    String(SEED),
    '--output',
    output,
  ];
  await run(node(), values.quick ? [...args, '--quick'] : args, { KAFKA_CLIENT: name });
  return (readJson(output) as Report[]).map(({ storm, checks }) => ({
    storm,
    held: checks.filter(holds).length,
    broken: checks.filter((check) => !holds(check)).map(({ rule }) => rule),
  }));
}

function load(): number {
  return Math.round(loadavg()[0] ?? 0);
}

async function resultsOf(client: Client): Promise<ClientResults> {
  const scratch = mkdtempSync(join(tmpdir(), 'handle-once-clients-'));
  const modules = client.name === 'kafkajs' ? ROOT : FOLDER;
  const manifest = readJson(join(modules, 'node_modules', client.package, 'package.json'));
  const before = load();
  const cases = await suite(client, scratch);
  const ofStorms = await storms(client, scratch);
  return {
    client: client.name,
    versions: [
      `${client.package} ${(manifest as { version: string }).version}`,
      `Node ${client.node() === process.execPath ? process.version : 'v24'}`,
      `Linux ${release()}`,
    ].join(', '),
    date: new Date().toISOString().slice(0, 10),
    load: [before, load()],
    cases,
    storms: ofStorms,
    isQuick: values.quick,
    seed: SEED,
  };
}

if (OTHER_CLIENTS.some(({ missing }) => missing === NOT_INSTALLED)) {
  const args = ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'];
  if (!(await run('npm', args, { CKJS_LINKING: 'dynamic' })))
    throw new Error('the clients could not be installed: see the head of this file for what they need');
}

mkdirSync(RESULTS, { recursive: true });
for (const client of chosen) {
  const results = await resultsOf(client);
  writeFileSync(join(RESULTS, `${client.name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}
const all = CLIENTS.map(({ name }) => readJson(join(RESULTS, `${name}.json`)) as ClientResults);
const table = join(FOLDER, 'RESULTS.md');
writeFileSync(table, tableOf(all));
await run('npx', ['oxfmt', table, RESULTS], {});
if (all.some(hasFailed)) process.exit(1);
