import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { apiSidebars } from './api-sidebars.ts';
import { linkTo } from './link-to.ts';
import { STAGE } from './stage/places.ts';

type Item = DefaultTheme.SidebarItem;

/** What is listed beside a page, by the beginning of its path. */
export function sidebars(): DefaultTheme.SidebarMulti {
  return { '/': manual(), ...apiSidebars(read('api/navigation.json')) };
}

/** The groups of the manual, as its index has them, and then what the folders have. */
function manual(): Item[] {
  return [
    ...groupsOf(read('docs/index.md')),
    {
      ...folderOf('docs/evidence'),
      items: [
        ...pagesIn('docs/evidence'),
        folderOf('docs/evidence/benchmarks'),
        folderOf('docs/evidence/decisions'),
      ],
    },
    { text: 'API', link: '/api/' },
    {
      text: 'Project',
      items: ['CHANGELOG', 'SECURITY', 'CONTRIBUTING', 'ARCHITECTURE'].map((name) => itemOf(`${name}.md`)),
    },
  ];
}

/** The headings of the index with the pages of the manual in the lists below them, each page once. */
export function groupsOf(index: string): Item[] {
  const seen = new Set<string>();
  const isNew = (page: string) => !seen.has(page) && seen.add(page);
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      text: part.slice(0, part.indexOf('\n')),
      items: linksIn(part)
        .filter(({ page }) => isNew(page))
        .map(({ text, page }) => ({ text, link: `/docs/${page}` })),
    }))
    .filter(({ items }) => items.length > 0);
}

function linksIn(part: string): { text: string; page: string }[] {
  const list = (part.match(/^- .*$/gm) ?? []).join('\n');
  return Array.from(list.matchAll(/\[([^\]]+)\]\((?:\.\/)?([\w-]+)\.md\)/g), ([, text = '', page = '']) => ({
    text: text.replaceAll('`', ''),
    page,
  }));
}

/** The index of a folder with its other pages, which are folded up. */
function folderOf(folder: string): Item {
  return { ...itemOf(`${folder}/index.md`), collapsed: true, items: pagesIn(folder) };
}

function pagesIn(folder: string): Item[] {
  return readdirSync(join(STAGE, folder))
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => itemOf(`${folder}/${name}`));
}

function itemOf(page: string): Item {
  const title = /^# (.+)$/m.exec(read(page))?.[1] ?? page;
  return { text: title.replaceAll('`', ''), link: linkTo(page) };
}

function read(page: string): string {
  return readFileSync(join(STAGE, page), 'utf8');
}
