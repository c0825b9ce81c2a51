import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { outsideOfCode } from './outside-of-code.ts';
import { placeOf, RAW, REPOSITORY, ROOT, urlOnGitHub } from './places.ts';

const OWN = [`${REPOSITORY}/blob/main/`, RAW];

/** The text of a page with its links as they are on the site: to what is there, and else to GitHub. */
export function withLinksOfSite(text: string, page: string): string {
  return outsideOfCode(text, (prose) =>
    prose
      .replaceAll(/(\]\()([^)#\s]+)/g, (_, before: string, target: string) => before + linkOf(target, page))
      .replaceAll(
        /((?:src|srcset|href)=")([^"#\s]+)/g,
        (_, before: string, target: string) => before + linkOf(target, page),
      ),
  );
}

function linkOf(target: string, page: string): string {
  const file = fileOf(target, page);
  if (file === undefined || !existsSync(join(ROOT, file))) return target;
  const place = placeOf(file);
  return place === undefined ? urlOnGitHub(file) : relativeTo(page, place);
}

/** The file of the repository that a link leads to, from its root. */
function fileOf(target: string, page: string): string | undefined {
  const own = OWN.find((url) => target.startsWith(url));
  if (own !== undefined) return target.slice(own.length);
  return /^[a-z]+:/.test(target) ? undefined : posix.join(posix.dirname(page), target);
}

function relativeTo(page: string, place: string): string {
  const path = posix.relative(posix.dirname(page), place);
  return path.startsWith('.') ? path : `./${path}`;
}
