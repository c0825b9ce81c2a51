import { describe, expect, it, test } from 'vitest';
import { textOf } from './documents.ts';
import { longCells, manualPages, MOST, wordsOf, wordsOfAll } from './words.ts';

describe('The manual', () => {
  const pages = manualPages();

  it(`has at most ${MOST.pages} pages beside its index`, () => {
    expect(pages).toContain('docs/guarantees.md');
    expect(pages.length).toBeLessThanOrEqual(MOST.pages);
  });

  it(`has at most ${MOST.words} words`, () => {
    expect(wordsOfAll(pages)).toBeLessThanOrEqual(MOST.words);
  });

  it(`has no page of more than ${MOST.wordsOfPage} words`, () => {
    const long = pages.map((page) => [page, wordsOf(textOf(page))] as const);
    expect(long.filter(([, words]) => words > MOST.wordsOfPage)).toEqual([]);
  });

  it(`has no table with a cell of more than ${MOST.wordsOfCell} words`, () => {
    const long = pages.map((page) => [page, longCells(textOf(page)).length] as const);
    expect(long.filter(([, cells]) => cells > 0)).toEqual([]);
  });
});

test('words are those of wc -w, and cells those of tables', () => {
  expect(wordsOf('# A `b c`\n\n| d |\n')).toBe(7);
  const long = 'word '.repeat(MOST.wordsOfCell + 1).trim();
  expect(longCells(`| a \\| b | ${long} |\n\n${long}\n\n\`\`\`text\n| ${long} |\n\`\`\`\n`)).toEqual([long]);
});
