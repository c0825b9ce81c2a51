import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { asHome } from './home.ts';
import { withLinksOfSite } from './links.ts';
import { illustrated } from './pictures.ts';
import { isPage, placeOf, ROOT, STAGE } from './places.ts';
import { withTabs } from './tabs.ts';

/** Puts pages and pictures where VitePress builds from. */
export function stage(): void {
  rmSync(STAGE, { recursive: true, force: true });
  for (const file of [...filesOf(''), ...filesOf('docs', true)]) {
    const place = placeOf(file);
    if (place === undefined) continue;
    mkdirSync(dirname(join(STAGE, place)), { recursive: true });
    if (isPage(file)) stagePage(file, place);
    else copyFileSync(join(ROOT, file), join(STAGE, place));
  }
}

function filesOf(folder: string, recursive = false): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' }).map((name) =>
    join(folder, name).replaceAll(sep, '/'),
  );
}

function stagePage(file: string, place: string): void {
  const { text, pictures } = illustrated(readFileSync(join(ROOT, file), 'utf8'), place);
  const page = withTabs(withLinksOfSite(text, file));
  writeFileSync(join(STAGE, place), file === 'README.md' ? asHome(page) : page);
  for (const [name, svg] of pictures) writeFileSync(join(STAGE, dirname(place), name), svg);
}
