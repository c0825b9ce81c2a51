// Fails where a link of the site leads nowhere: to a page that is not there, or to a heading that its page has not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../site/', import.meta.url));
const htmls = new Map<string, string>();

function htmlOf(file: string): string {
  const known = htmls.get(file) ?? readFileSync(file, 'utf8');
  htmls.set(file, known);
  return known;
}

function isDead(page: string, href: string): boolean {
  const [path = '', anchor = ''] = href.split('#');
  const file = path === '' ? page : resolve(dirname(page), decodeURIComponent(path));
  if (!existsSync(file)) return true;
  return (
    anchor !== '' && file.endsWith('.html') && !htmlOf(file).includes(`id="${decodeURIComponent(anchor)}"`)
  );
}

const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.html'))
  .map((name) => join(SITE, name));
const dead = pages.flatMap((page) =>
  Array.from(htmlOf(page).matchAll(/<a\s[^>]*?href="(?!https?:|mailto:)([^"]+)"/g), ([, href = '']) => href)
    .filter((href) => isDead(page, href))
    .map((href) => `${page.slice(SITE.length)}: ${href}`),
);
console.log(`${pages.length} pages, ${dead.length} dead links`);
for (const link of new Set(dead)) console.error(link);
process.exitCode = dead.length > 0 || pages.length === 0 ? 1 : 0;
