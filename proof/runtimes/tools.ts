import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode } from '../../test/support/installed-node.ts';
import type { Tool } from './rows.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Where the packages are that only this test needs. Installs them unless they are there. */
export function installedPackages(): string {
  const packages = join(FOLDER, 'node_modules');
  if (!existsSync(packages)) {
    // `npm ci` refuses a lock that lacks the binaries of another platform, which not every registry has.
    execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', FOLDER], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
  }
  return packages;
}

/** Of the program that a row starts. */
export function pathOf(tool: Tool, packages: string): string {
  switch (tool) {
    case 'node':
      return process.execPath;
    case 'node18':
      return installedNode(18);
    case 'node22':
      return installedNode(22);
    case 'node24':
      return installedNode(24);
    case 'bun':
      return join(packages, 'bun/bin/bun.exe');
    case 'deno':
      return join(packages, 'deno/deno');
  }
}
