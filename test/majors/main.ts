// Runs the tests of adapters and examples on newer majors of what they adapt to, under Node 24, which most of those
// need; `npm test` runs them on the versions of package.json:
//   npm run test:majors                      all of them
//   npm run test:majors -- test/sqs-consumer files of your choice
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedNode } from '../support/installed-node.ts';

const SUITES = [
  ...['test/sqs-consumer', 'test/nestjs', 'test/clients/kysely.test.ts'],
  ...['test/otel/aws-sdk.test.ts', 'test/otel/kafkajs.test.ts'],
  ...['bullmq', 'nestjs-kafka', 'nestjs-sqs', 'pg-boss-worker', 'sqs'].map(
    (name) => `test/examples/${name}.test.ts`,
  ),
];

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const chosen = process.argv.slice(2);

if (!existsSync(fileOf('node_modules'))) {
  const npm = ['ci', '--loglevel=error', '--legacy-peer-deps', '--prefix', fileOf('.')];
  // Without them the tests would run on the versions of package.json, and pass.
  if (spawnSync('npm', npm, { stdio: 'inherit' }).status !== 0) process.exit(1);
}
const { status } = spawnSync(
  installedNode(24),
  [
    ...[fileOf('../../node_modules/vitest/vitest.mjs'), 'run'],
    ...['--config', fileOf('./vitest.config.ts')],
    ...(chosen.length > 0 ? chosen : SUITES),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: `--import ${new URL('./resolve.mjs', import.meta.url).href}`,
    },
  },
);
process.exitCode = status ?? 1;
