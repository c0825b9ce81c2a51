// Loads the packed package as each runtime and module system does, row by row of docs/limits.md:
//   npm run test:runtimes             all of them, a minute; installs what proof/runtimes/package.json names
//   npm run test:runtimes -- --quick  those that need nothing beyond the project's own packages
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, rows } from './rows.ts';
import { installedPackages, pathOf } from './tools.ts';
import { createWorkspace, root } from './workspace.ts';

const isQuick = process.argv.includes('--quick');
const packages = isQuick ? join(root, 'node_modules') : installedPackages();
const workspace = createWorkspace(packages);
const chosen = rows.filter((row) => !isQuick || row.isQuick === true);

/** What was printed, where a row did not end as it has to. */
function problemOf({ tool, args, folder = '.', refusal }: Row): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(pathOf(tool, packages), args, {
    cwd: join(workspace, folder),
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (error !== undefined) return error.message;
  const isRight = refusal === undefined ? status === 0 : status !== 0 && refusal.test(stderr);
  return isRight ? undefined : `ended with ${status ?? 'a signal'}\n${stdout}${stderr}`;
}

for (const row of chosen) {
  const startedAt = performance.now();
  const problem = problemOf(row);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'} ${row.name} (${seconds} s)`);
  if (problem === undefined) continue;
  console.error(problem);
  process.exitCode = 1;
}
rmSync(workspace, { recursive: true });
