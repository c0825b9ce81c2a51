import type { DefaultTheme } from 'vitepress';
import { linkTo } from './link-to.ts';

type Item = DefaultTheme.SidebarItem;

/** What TypeDoc says of its pages: a module, a group of its members, or a member. */
interface Entry {
  readonly title: string;
  readonly path?: string | null;
  readonly children?: readonly Entry[];
}

interface Module extends Entry {
  readonly path: string;
}

/**
 * Beside a page of the API: all modules, and the members of its own. Each page has the text of its whole list, so that
 * the members of all modules would make the site several times as large.
 */
export function apiSidebars(navigation: string): DefaultTheme.SidebarMulti {
  const modules = modulesIn(JSON.parse(navigation) as Entry[]);
  const sidebarOf = (own?: Module): Item[] => [
    { text: 'Manual', link: '/docs/' },
    { text: 'API', items: modules.map((module) => itemOf(module, module === own)) },
  ];
  return {
    '/api/': sidebarOf(),
    ...Object.fromEntries(modules.map((module) => [linkOf(module), sidebarOf(module)])),
  };
}

const isModule = ({ path }: Entry): boolean => path?.endsWith('/index.md') === true;

/** The modules, of which TypeDoc has the subpaths below the package. */
function modulesIn(entries: readonly Entry[]): Module[] {
  return entries.flatMap((entry) =>
    isModule(entry) ? [entry as Module, ...modulesIn(entry.children ?? [])] : [],
  );
}

function itemOf(module: Module, isOwn: boolean): Item {
  const groups = isOwn ? (module.children ?? []).filter((entry) => !isModule(entry)) : [];
  return {
    text: module.path.replace(/\/index\.md$/, ''),
    link: linkOf(module),
    ...(isOwn ? { items: groups.map(groupOf) } : {}),
  };
}

function groupOf({ title, children = [] }: Entry): Item {
  return { text: title, items: children.map((member) => ({ text: member.title, link: linkOf(member) })) };
}

function linkOf({ path }: Entry): string {
  return linkTo(`api/${path ?? ''}`);
}
