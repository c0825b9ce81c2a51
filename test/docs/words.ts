import { documents, textOf, withoutExamples } from './documents.ts';

/** How much the manual may be. Words are counted as `wc -w` does: all between white space, code too. */
export const MOST = { pages: 25, words: 30_000, wordsOfPage: 1_800, wordsOfCell: 25 };

const INDEX = 'docs/README.md';

/** The pages of the manual without its index. */
export function manualPages(): string[] {
  return documents().filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== INDEX);
}

export function evidencePages(): string[] {
  return documents().filter((page) => page.startsWith('docs/evidence/'));
}

export function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

export function wordsOfAll(pages: readonly string[]): number {
  return pages.reduce((sum, page) => sum + wordsOf(textOf(page)), 0);
}

/** The cells of the tables of a page that are too long to be read as cells. */
export function longCells(text: string): string[] {
  const rows = withoutExamples(text).match(/^\|.*$/gm) ?? [];
  return rows
    .flatMap((row) => row.split(/(?<!\\)\|/))
    .map((cell) => cell.trim())
    .filter((cell) => wordsOf(cell) > MOST.wordsOfCell);
}
