import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEARCH_WORDS, withSearchWords } from '../../website/search-words.ts';
import { slugOf } from '../../website/slug.ts';

describe('Search words', () => {
  it.each(Object.keys(SEARCH_WORDS))('%s is a section', (place) => {
    const [file = '', anchor] = place.split('#');
    const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
    expect([...headings].map(([, heading = '']) => slugOf(heading))).toContain(anchor);
  });

  it('stand under the heading of their section alone', () => {
    const page = '<h1 id="lambda" tabindex="-1">Lambda</h1>\n<p>Text</p>\n<h2 id="next">Next</h2>';
    expect(withSearchWords(page, 'docs/lambda.md')).toBe(
      '<h1 id="lambda" tabindex="-1">Lambda</h1><p>serverless AWS functions</p>\n<p>Text</p>\n<h2 id="next">Next</h2>',
    );
  });
});
