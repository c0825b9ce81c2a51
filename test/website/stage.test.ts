import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../website/sidebar.ts';
import { asHome } from '../../website/stage/home.ts';
import { withLinksOfSite } from '../../website/stage/links.ts';
import { illustrated } from '../../website/stage/pictures.ts';
import { RAW, REPOSITORY } from '../../website/stage/places.ts';
import { withTabs } from '../../website/stage/tabs.ts';

describe('The links of a page', () => {
  it.each([
    ['[a](sqs.md#a-worker)', '[a](./sqs.md#a-worker)'],
    ['[a](../README.md)', '[a](../index.md)'],
    ['[a](evidence/decisions/04-no-second-index.md)', '[a](./evidence/decisions/04-no-second-index.md)'],
    ['[a](../package.json)', `[a](${REPOSITORY}/blob/main/package.json)`],
    ['[a](../examples)', `[a](${REPOSITORY}/tree/main/examples)`],
    [`[a](${REPOSITORY}/blob/main/SECURITY.md#b)`, '[a](../SECURITY.md#b)'],
    [`![a](${RAW}docs/images/states.svg)`, '![a](./images/states.svg)'],
    [`<img src="${RAW}docs/images/states.svg">`, '<img src="./images/states.svg">'],
    ['[a](https://example.com/b.md)', '[a](https://example.com/b.md)'],
    ['[a](#b) and [c](no-such-page.md)', '[a](#b) and [c](no-such-page.md)'],
    ['```md\n[a](../package.json)\n```', '```md\n[a](../package.json)\n```'],
  ])('%s becomes %s', (written, staged) => {
    expect(withLinksOfSite(written, 'docs/kafka.md')).toBe(staged);
  });
});

it('headings between the marks of tabs become tabs', () => {
  expect(
    withTabs('a\n\n<!-- tabs -->\n\n#### SQS on Lambda\n\nb\n\n#### Kafka\n\nc\n\n<!-- /tabs -->\n'),
  ).toBe('a\n\n:::tabs\n\n== SQS\u00a0on\u00a0Lambda\n\nb\n\n== Kafka\n\nc\n\n:::\n');
});

it('a block of Mermaid becomes a picture beside its page', () => {
  const { text, pictures } = illustrated(
    'a\n\n```mermaid\nflowchart TD\n  accTitle: B\n  x --> y\n```\n',
    'c.md',
  );
  expect(text).toBe('a\n\n![B](./c-1.svg)\n');
  expect(
    illustrated(`\`\`\`mermaid\nflowchart LR\n  ${'x'.repeat(80)} --> y\n\`\`\`\n`, 'c.md').text,
  ).toMatch(/^<div class="wide" .*\n\n!\[Diagram\]\(\.\/c-1\.svg\)\n\n<\/div>\n$/);
  expect(pictures.get('c-1.svg')).toContain('<title id="title">B</title>');
});

it('the README opens with its title and its first paragraph', () => {
  const home = asHome('# Name\n\nWhat `it` is.\n\nMore.\n');
  expect(home).toContain('"name":"Name","tagline":"What it is."');
  expect(home.split('---').at(-1)).toContain('\nMore.\n');
});

it('the sidebar has the groups of the index, and each page once', () => {
  const index =
    '# I\n\n- [no](no.md)\n\n## A\n\n- [`b`](b.md): c, and [d](./d.md#e)\n- [d](d.md)\n- [f](evidence/f.md)\n\n## G\n\ntext\n';
  expect(groupsOf(index)).toEqual([
    {
      text: 'A',
      items: [
        { text: 'b', link: '/docs/b' },
        { text: 'd', link: '/docs/d' },
      ],
    },
  ]);
});
