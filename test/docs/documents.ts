import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { slugOf } from '../../website/slug.ts';
import { root } from '../architecture/source-files.ts';

/** What users read: the README, and all pages under docs/, from the project's root. */
export function documents(): string[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll(sep, '/')}`);
  return ['README.md', ...pages.toSorted()];
}

/** The text of a file, from the project's root. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** A link of a document to a file of the project, or into one. */
export interface Link {
  /** As it is written, without the anchor. Empty for a link within the document. */
  readonly target: string;
  /** Undefined for a link to a whole file. */
  readonly anchor: string | undefined;
}

/** What the links of the README begin with: npm shows it on a page of its own. */
export const PROJECT_URL = 'https://github.com/handle-once/handle-once/blob/main/';

/** The links of a document that stay within the project. */
export function linksOf(text: string): Link[] {
  const links = withoutExamples(text.replaceAll(`](${PROJECT_URL}`, '](')).matchAll(
    /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
  );
  return Array.from(links, ([, target = '', anchor]) => ({ target, anchor }));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutExamples(text).matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

export function withoutExamples(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, '');
}

/** The cells of the first table under a heading, row by row, without its head. */
export function tableUnder(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (at === -1) throw new Error(`there is no heading "${heading}"`);
  const begin = lines.findIndex((line, index) => index > at && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > begin && !line.startsWith('|'));
  return lines.slice(begin + 2, end === -1 ? undefined : end).map(cellsOf);
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The names in backticks of a cell. */
export function namesIn(cell = ''): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}
