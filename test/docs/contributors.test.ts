import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseDocument } from 'yaml';
import { filesIn, root } from '../architecture/source-files.ts';
import { manifest } from '../support/manifest.ts';
import { documents, linksOf, namesIn, tableUnder, textOf } from './documents.ts';

const GITHUB = readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' }).map(
  (name) => `.github/${name}`,
);
const YAML = GITHUB.filter((name) => name.endsWith('.yml'));

/** What names commands: pages for users and contributors, workflows, scripts. */
const NAMING = [
  ...documents(),
  ...[
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'llms.txt',
    '.ci/run',
    'test/kafka-clients/main.ts',
  ],
  ...['test/README.md', 'proof/chaos/README.md', 'proof/simulation/README.md'],
  ...GITHUB.filter((name) => /\.(yml|md)$/.test(name)),
];

function matchesIn(pattern: RegExp): { file: string; name: string }[] {
  return NAMING.flatMap((file) =>
    Array.from(textOf(file).matchAll(pattern), ([, name = '']) => ({ file, name })),
  );
}

it('names only scripts of package.json', () => {
  const named = matchesIn(/\bnpm run (?:-s )?([a-z][\w:-]*)/g);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => manifest.scripts[name] === undefined)).toEqual([]);
});

it('names only tests and folders that are there', () => {
  const named = matchesIn(/\b((?:test|testing|proof|bench|migrations)\/[\w./-]*\w)/g).filter(
    // A file of the reader's own, and what is installed.
    ({ name }) => !name.includes('yours') && !name.includes('node_modules'),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !existsSync(join(root, name)))).toEqual([]);
});

it.each(YAML)('%s is YAML without a mistake', (file) => {
  const { errors, warnings } = parseDocument(textOf(file), { prettyErrors: true });
  expect([...errors, ...warnings]).toEqual([]);
});

describe('The workflows', () => {
  const steps = (file: string) => {
    const { jobs } = parseDocument(textOf(file)).toJS() as {
      jobs: Record<string, { steps: { run?: string; uses?: string }[] }>;
    };
    return Object.values(jobs).flatMap((job) => job.steps);
  };

  it('run what a contributor runs', () => {
    const runs = (file: string) => steps(file).map(({ run = '' }) => run);
    expect(runs('.github/workflows/ci.yml')).toContain('.ci/run');
    const release = runs('.github/workflows/release.yml');
    const publish = release.findIndex((run) => run.startsWith('npm publish --provenance'));
    expect(release.indexOf('.ci/run')).toBeGreaterThan(-1);
    expect(publish).toBeGreaterThan(release.indexOf('.ci/run'));
  });

  it('use the actions of GitHub alone, and may write nothing but the proof of where a package is from', () => {
    for (const file of YAML.filter((name) => name.includes('workflows/'))) {
      const used = steps(file).flatMap(({ uses }) => uses ?? []);
      expect(used.filter((name) => !/^actions\/[\w-]+@v\d+$/.test(name))).toEqual([]);
      const written = textOf(file).match(/^ *[\w-]+: write$/gm) ?? [];
      expect(written.map((line) => line.trim())).toEqual(file.includes('release') ? ['id-token: write'] : []);
    }
  });
});

test('every example is run by a test', () => {
  const tests = [...filesIn('test/examples'), 'test/operations/moving-over.test.ts'].map(textOf).join('\n');
  const examples = filesIn('examples').filter((file) =>
    /^examples\/((adapters|dashboard)\/)?(?!environment)[\w-]+\.ts$/.test(file),
  );
  expect(examples.length).toBeGreaterThan(10);
  expect(examples.filter((file) => !tests.includes(basename(file)))).toEqual([]);
});

test('links of pages that are not packed lead to files', () => {
  const pages = [
    'test/README.md',
    'proof/chaos/README.md',
    'proof/simulation/README.md',
    ...GITHUB.filter((name) => name.endsWith('.md')),
  ];
  const dead = pages.flatMap((page) =>
    linksOf(textOf(page)).filter(({ target }) => !existsSync(join(root, dirname(page), target))),
  );
  expect(dead).toEqual([]);
});

test('docs/limits.md has the versions that the tests run on', () => {
  const newer = JSON.parse(textOf('test/majors/package.json')) as { dependencies: Record<string, string> };
  const versionsOf = (cell = '') => cell.match(/\d+\.\d+\.\d+/g) ?? [];
  const rows = tableUnder(textOf('docs/limits.md'), 'What it is tested with');
  for (const [names, each, majors] of rows) {
    const [first = '', ...others] = namesIn(names).filter((name) => name !== 'PgBoss');
    const packages = [
      first,
      ...others.map((name) => (name.startsWith('-') ? first.replace(/-aws-sdk$/, name) : name)),
    ];
    expect([...new Set(packages.map((name) => manifest.devDependencies[name]))], first).toEqual(
      versionsOf(each),
    );
    expect([...new Set(packages.map((name) => newer.dependencies[name]))], first).toEqual(versionsOf(majors));
  }
});

test('docs/evidence/decisions lists each of its records, in one form', () => {
  const records = readdirSync(join(root, 'docs/evidence/decisions')).filter((name) => /^\d\d-/.test(name));
  const listed = linksOf(textOf('docs/evidence/decisions/README.md')).map(({ target }) => target);
  expect(listed.filter((target) => /^\d\d-/.test(target)).toSorted()).toEqual(records.toSorted());
  for (const record of records) {
    const headings = readFileSync(join(root, 'docs/evidence/decisions', record), 'utf8').match(/^## .*$/gm);
    expect(headings, record).toEqual(['## Context', '## Decision', '## Consequences']);
  }
});
