import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { filesIn, root } from '../architecture/source-files.ts';
import { manifest } from '../support/manifest.ts';
import { anchorsOf, documents, linksOf, PROJECT_URL, textOf } from './documents.ts';

const files = packed();

/** The files of the package as npm packs it. */
function packed(): Set<string> {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const packages = JSON.parse(json) as { files: { path: string }[] }[];
  return new Set(packages.flatMap((each) => each.files.map(({ path }) => path)));
}

const isDocument = (file: string): boolean => file.endsWith('.md') || file === 'llms.txt';

/** Whether a heading of the file has the anchor. Other files than documents have none. */
function hasAnchor(file: string, anchor: string | undefined): boolean {
  return anchor === undefined || (isDocument(file) && anchorsOf(textOf(file)).has(anchor));
}

test('every link of the packed documents leads to a packed file, and to a heading of it', () => {
  const packedDocuments = [...files].filter(isDocument);
  expect(packedDocuments).toEqual(expect.arrayContaining(['docs/tuning.md', 'llms.txt', 'SECURITY.md']));
  const dead = packedDocuments.flatMap((document) =>
    linksOf(textOf(document))
      .map(({ target, anchor }) => ({
        file: target === '' ? document : join(dirname(document), target),
        anchor,
      }))
      .filter(({ file, anchor }) => !files.has(file) || !hasAnchor(file, anchor))
      .map(({ file, anchor = '' }) => `${document}: ${file}#${anchor}`),
  );
  expect(dead).toEqual([]);
});

test('the links of the README work on its page of npm too, and other pages link within the package', () => {
  const { repository, homepage, bugs } = manifest;
  expect(repository.url).toBe(`git+${PROJECT_URL.replace('/blob/main/', '.git')}`);
  expect([homepage, bugs].map((url) => url.startsWith(PROJECT_URL.replace('/blob/main/', '')))).toEqual([
    true,
    true,
  ]);
  expect(textOf('README.md')).not.toMatch(/\]\((?!https:|#)/);
  expect([...files].filter((file) => isDocument(file) && textOf(file).includes(PROJECT_URL))).toEqual([
    'README.md',
  ]);
});

const isEvidence = (page: string): boolean => page.startsWith('docs/evidence/');

it.each([
  ['docs/README.md', (page: string) => !isEvidence(page)],
  ['llms.txt', (page: string) => !isEvidence(page)],
  // The records of decisions have an index of their own.
  ['docs/evidence/README.md', (page: string) => isEvidence(page) && !/\/decisions\/\d\d-/.test(page)],
])('%s leads to every page of its part', (index, isOfPart) => {
  const linked = linksOf(textOf(index)).map(({ target }) => join(dirname(index), target));
  const pages = documents().filter((page) => isOfPart(page) && page !== index && page !== 'docs/README.md');
  expect(linked).toEqual(expect.arrayContaining(pages));
});

test('every page that the code names is there, with the heading', () => {
  const sources = ['src', 'adapters', 'testing', 'examples', 'test'].flatMap(filesIn);
  const named = sources.flatMap((source) =>
    [...textOf(source).matchAll(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?/g)].map(([name, anchor]) => ({
      source,
      name,
      anchor,
    })),
  );
  expect(named.length).toBeGreaterThan(5);
  const dead = named.filter(({ name, anchor }) => {
    const [file = ''] = name.split('#');
    return !files.has(file) || !hasAnchor(file, anchor);
  });
  expect(dead).toEqual([]);
});

describe('The anchors of a document', () => {
  it('are those of GitHub', () => {
    const text =
      '# An `eachMessage` handler\n\n## What is it?\n\n```sh\n# no heading\n```\n\n## What is it?\n';
    expect([...anchorsOf(text)]).toEqual(['an-eachmessage-handler', 'what-is-it', 'what-is-it-1']);
  });

  it('are asked for by the links outside of examples', () => {
    const text = '[a](b.md#c), [d](#e)\n\n```md\n[f](g.md)\n```\n\n[h](https://example.com#i)';
    expect(linksOf(text)).toEqual([
      { target: 'b.md', anchor: 'c' },
      { target: '', anchor: 'e' },
    ]);
  });
});
