import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
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

/** The links of a document that stay within the project. */
export function linksOf(text: string): Link[] {
  const links = withoutExamples(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return Array.from(links, ([, target = '', anchor]) => ({ target, anchor }));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutExamples(text).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

function withoutExamples(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, '');
}
