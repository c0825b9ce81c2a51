// Runs the suites that depend on what Node does with timers, signals and sockets on Node 24; `npm test` runs all suites
// on this Node:
//   npm run test:node-24                what CI runs
//   npm run test:node-24 -- test/http   files of your choice
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedNode } from './support/installed-node.ts';

/** They depend on the database and its clients, like the suites of the stores that are not named here. */
const LEFT_OUT = ['broken-transactions', 'copy-in-transaction', 'in-transaction'];
const ENGINE = readdirSync(fileURLToPath(new URL('engine', import.meta.url)))
  .filter((name) => name.endsWith('.test.ts') && !LEFT_OUT.includes(name.slice(0, -'.test.ts'.length)))
  .map((name) => `engine/${name}`);
const STORES = ['endings', 'memory', 'postgres.test', 'records', 'reply', 'take-backs'].map(
  (name) => `store/${name}`,
);
/** The other starts servers of queues. */
const LAMBDA = ['deadline', 'kafka', 'sqs'].map((name) => `lambda/${name}`);
const SUITES = ['unit', ...ENGINE, ...STORES, ...LAMBDA].map((name) => `test/${name}`);
/** Not the one under load, which takes the whole machine. */
const PROJECTS = ['--project', 'unit', '--project', 'integration'];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const PLATFORMATIC = fileURLToPath(
  new URL('kafka-clients/node_modules/@platformatic/kafka', import.meta.url),
);
const chosen = process.argv.slice(2);

function run(...args: string[]): boolean {
  const { status } = spawnSync(installedNode(24), [vitest, 'run', ...args], { stdio: 'inherit' });
  return status === 0;
}

/** The core of Kafka's broker suite with platformatic's client, which needs this Node. */
function runPlatformatic(): boolean {
  if (existsSync(PLATFORMATIC)) return run('--project', 'platformatic');
  console.log(
    '@platformatic/kafka is not tested, since it is not installed: npm run test:kafka-clients installs it',
  );
  return true;
}

const isPassed = run(...PROJECTS, ...(chosen.length > 0 ? chosen : SUITES));
process.exitCode = isPassed && (chosen.length > 0 || runPlatformatic()) ? 0 : 1;
