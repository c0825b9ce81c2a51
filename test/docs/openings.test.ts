import { expect, it } from 'vitest';
import { documents, textOf } from './documents.ts';

/** Indexes have links alone, and the records of decisions have one form. */
const pages = documents().filter((page) => !/README\.md$|^docs\/evidence\/decisions\//.test(page));

it.each(pages)('%s shows a case, in code or in a table, before it explains', (page) => {
  const opening = textOf(page).split('\n').slice(0, 20);
  expect(opening.filter((line) => /^(```|\|)/.test(line))).not.toEqual([]);
});
