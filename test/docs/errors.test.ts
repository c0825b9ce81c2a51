import { expect, test } from 'vitest';
import { InvalidKeyError } from '../../src/index.ts';
import { RIGHTS, type TableName } from '../../src/postgres/rights.ts';
import { SHAPE } from '../../src/postgres/shape.ts';
import { filesIn } from '../architecture/source-files.ts';
import { manifest } from '../support/manifest.ts';
import { namesIn, tableUnder, textOf } from './documents.ts';

const PAGE = textOf('docs/errors.md');

/** The names in single quotes of a union of texts. */
function namesOfUnion(file: string, type: RegExp): string[] {
  return Array.from(textOf(file).matchAll(type), ([, union = '']) =>
    Array.from(union.matchAll(/'(\w+)'/g), ([, name = '']) => name),
  ).flat();
}

function firstNames(heading: string): string[] {
  return tableUnder(PAGE, heading).flatMap(([names]) => namesIn(names));
}

test('docs/errors.md has a row for each code of an error, with its class, and whether it is retriable', () => {
  const codes = namesOfUnion('src/words/errors.ts', /type HandleOnceErrorCode =([^;]+);/g);
  expect(codes.length).toBeGreaterThan(10);
  expect(firstNames('Errors that are thrown').toSorted()).toEqual(codes.toSorted());

  const classes = ['src', 'adapters'].flatMap(filesIn).flatMap((file) =>
    Array.from(
      textOf(file).matchAll(
        /override readonly name = '(\w+)';\s+readonly code = '([A-Z_]+)';(?:\s+readonly retriable(?: =|:) (\w+))?/g,
      ),
      // One of a consumer that stops has its base class's.
      ([, name = '', code = '', retriable = 'false']) => [
        code,
        name,
        retriable.replace('boolean', 'depends'),
      ],
    ),
  );
  const documented = tableUnder(PAGE, 'Errors that are thrown').map(([code, name, retriable = '']) => [
    ...namesIn(code),
    ...namesIn(name),
    retriable,
  ]);
  expect(documented.toSorted()).toEqual(classes.toSorted());
});

test('an error names the page, by its path in the package', () => {
  expect(new InvalidKeyError('the key is empty').help).toBe(`node_modules/${manifest.name}/docs/errors.md`);
});

test('docs/errors.md has a row for each finding about settings', () => {
  const events = filesIn('adapters').filter((file) => file.endsWith('/events.ts'));
  const findings = events.flatMap((file) => namesOfUnion(file, /type \w+Warning =([^;]+);/g));
  expect(findings.length).toBeGreaterThan(20);
  expect(firstNames('Findings about settings').toSorted()).toEqual([...new Set(findings)].toSorted());
});

test('docs/production.md has the rights that the code needs', () => {
  const rights = tableUnder(textOf('docs/production.md'), 'Grants').map(([table = '', ...uses]) => [
    ...namesIn(table),
    ...uses.map((use) => namesIn(use)[0]),
  ]);
  const uses = [RIGHTS.handle, RIGHTS.maintain, RIGHTS.read, RIGHTS.operate];
  const tables = Object.keys(SHAPE) as TableName[];
  const expected = tables.map((table) => [table, ...uses.map((use) => use[table])]);
  expect(rights.toSorted()).toEqual(expected.toSorted());
});
