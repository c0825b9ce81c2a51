import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What VitePress builds from: pages and pictures, in the folders that they have in the repository. */
export const STAGE = join(ROOT, 'node_modules/.cache/website');
export const SITE = join(ROOT, 'site');
/** Of a site of this repository on GitHub. */
export const BASE = '/handle-once/';

export const REPOSITORY = 'https://github.com/handle-once/handle-once';
/** Where pictures are for GitHub and npm alike. */
export const RAW = 'https://raw.githubusercontent.com/handle-once/handle-once/main/';

/** Where a file of the repository is on the site. Undefined where it is not there. */
export function placeOf(file: string): string | undefined {
  if (!existsSync(join(ROOT, file))) return undefined;
  if (/^docs\/.*\.(svg|png)$/.test(file)) return file;
  return isPage(file) ? file.replace(/(^|\/)README\.md$/, '$1index.md') : undefined;
}

const PROJECT_PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

export function isPage(file: string): boolean {
  return PROJECT_PAGES.includes(file) || /^docs\/.*\.md$/.test(file);
}

/** Where a file or folder that is not on the site is on GitHub. */
export function urlOnGitHub(file: string): string {
  const kind = statSync(join(ROOT, file)).isDirectory() ? 'tree' : 'blob';
  return `${REPOSITORY}/${kind}/main/${posix.normalize(file)}`;
}
