import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Versions of Node that tests run on beside the one that runs them. 18 is one that the package refuses. */
const VERSIONS = { 18: '18.20.8', 22: '22.23.3', 24: '24.21.0' } as const;
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/handle-once/', import.meta.url));

/** The path of a Node, which npm's package `node` brings. */
export function installedNode(major: keyof typeof VERSIONS): string {
  const version = VERSIONS[major];
  const folder = join(CACHE, `node-${version}`);
  const file = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['install', '--silent', '--prefix', folder, `node@${version}`], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
  }
  return file;
}
