// Runs the suites that depend on what Node does with timers, signals and sockets on Node 24; `npm test` runs all suites
// on this Node:
//   npm run test:node-24                what CI runs
//   npm run test:node-24 -- test/http   files of your choice
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installedNode } from './installed-node.ts';

/** Of the stores not what depends on the database rather than on Node. */
const SUITES = [
  ...['unit', 'engine', 'lambda'],
  ...[
    'store/endings',
    'store/memory',
    'store/postgres.test',
    'store/records',
    'store/reply',
    'store/take-backs',
  ],
].map((name) => `test/${name}`);
/** Not the one under load, which takes the whole machine. */
const PROJECTS = ['--project', 'unit', '--project', 'integration'];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const chosen = process.argv.slice(2);

const { status } = spawnSync(
  installedNode(24),
  [vitest, 'run', ...PROJECTS, ...(chosen.length > 0 ? chosen : SUITES)],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
