import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  checkApplies,
  type Found,
  plantedBugs,
  rowOf,
  search,
  whatIsWrong,
} from '../../proof/planted/planted.ts';
import { EVERYTHING_ENDS, rulesOf } from '../../proof/simulation/rules/index.ts';
import { SURFACES } from '../../proof/simulation/surfaces/index.ts';
import { root } from '../architecture/source-files.ts';

const page = readFileSync(join(root, 'docs/evidence/correctness.md'), 'utf8');

/** The rows of a table of the page that begin with a name, with one space between cells. */
function rowsOf(heading: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => row.replaceAll(/ +/g, ' '));
}

/** Seconds of work, on a machine that may have other work to do. */
const LONGEST_MS = 240_000;

const rowsOfBugs = rowsOf('Planted bugs');

it('the page has a row for each planted bug', () => {
  const named = rowsOfBugs.map((row) => row.split('`')[1]);
  expect(named).toEqual(plantedBugs());
  expect(named.length).toBeGreaterThanOrEqual(20);
});

it('the page has a row for each bug planted in the SQL, with a test that is there', () => {
  const rows = rowsOf('Bugs planted in the SQL');
  const bugs = plantedBugs('sql/');
  expect(bugs.length).toBeGreaterThanOrEqual(24);
  expect(rows.map((row) => row.split(' | ').slice(0, 2))).toEqual(
    bugs.map((bug) => [`| \`${bug}\``, whatIsWrong(bug)]),
  );
  const files = rows.map((row) => row.split('`')[3] ?? '');
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it('the page has a row for each rule', () => {
  const own = SURFACES.flatMap(({ rules }) => rules);
  const rules = [...rulesOf(() => undefined), ...new Set(own), EVERYTHING_ENDS];
  expect(rowsOf('Rules')).toEqual(rules.map(({ name, promise }) => `| \`${name}\` | ${promise} |`));
});

/** The seed that the page names. */
function seedOf(bug: string): number {
  const row = rowsOfBugs.find((of) => of.split('`')[1] === bug);
  return Number(row?.split('|')[3] ?? 1);
}

/** One of each kind of broker, and of the store; `npm run planted` looks for all. */
const LOOKED_FOR = ['commit-past-pending', 'delete-before-settle', 'results-swapped', 'settle-by-key'];

it.concurrent.each(LOOKED_FOR)(
  '%s is caught by the seed and the rule that docs/evidence/correctness.md names',
  { timeout: LONGEST_MS },
  async (bug) => {
    const found = await search(bug, { from: seedOf(bug), seeds: 1 });
    expect(found, 'after a change of the sources: npm run planted').toBeDefined();
    expect(rowsOfBugs).toContain(rowOf(bug, found as Found));
  },
);

it.concurrent.each([...plantedBugs(), ...plantedBugs('sql/')])(
  'the patch %s applies to the sources',
  checkApplies,
);
