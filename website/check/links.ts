import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BASE, SITE } from '../stage/places.ts';

/** The pages of the built site, from its folder, without the one that VitePress has for what is not there. */
export function builtPages(): string[] {
  return readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .toSorted();
}

/** The links that lead nowhere: to a file that is not there, or to a heading that its page has not. */
export function deadLinks(pages: readonly string[]): string[] {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? anchorsIn(readFileSync(file, 'utf8'));
    anchors.set(file, known);
    return known;
  };
  const isDead = (page: string, href: string) => {
    const [path = '', anchor = ''] = href.split('#').map(decodeURIComponent);
    const file = path === '' ? join(SITE, page) : fileOf(page, path);
    if (file === undefined) return true;
    return anchor !== '' && file.endsWith('.html') && !anchorsOf(file).has(anchor);
  };
  return pages.flatMap((page) =>
    [...linksIn(readFileSync(join(SITE, page), 'utf8'))]
      .filter((href) => isDead(page, href))
      .map((href) => `${page}: ${href}`),
  );
}

function linksIn(html: string): Set<string> {
  const links = html.matchAll(/<a\s[^>]*?href="(?!https?:|mailto:)([^"]+)"/g);
  return new Set(Array.from(links, ([, href = '']) => href.replaceAll('&amp;', '&')));
}

function anchorsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id));
}

/** The file that a server of static files answers a path with. */
function fileOf(page: string, path: string): string | undefined {
  const file = path.startsWith(BASE)
    ? join(SITE, path.slice(BASE.length))
    : resolve(dirname(join(SITE, page)), path);
  const files = path.endsWith('/') || path === '' ? [join(file, 'index.html')] : [`${file}.html`, file];
  return path.startsWith('/') && !path.startsWith(BASE) ? undefined : files.find((name) => existsSync(name));
}
