import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUGS, QUICK_CASES } from '../../proof/model/cases.ts';
import { spinProgram } from '../../proof/model/spin-program.ts';
import { search } from '../../proof/model/spin.ts';
import { rowOfBug } from '../../proof/model/tables.ts';
import { root } from '../architecture/source-files.ts';

const DOWNLOAD_MS = 300_000;
/** Seconds of work, on a machine that may have other work to do. */
const LONGEST_MS = 240_000;

const page = readFileSync(join(root, 'docs/evidence/correctness.md'), 'utf8');
const [section = ''] = page.split(/^## /m).filter((text) => text.startsWith('The models'));
/** With one space between cells. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.replaceAll(/ +/g, ' '));

let spin = 'spin';

beforeAll(async () => {
  spin = await spinProgram();
}, DOWNLOAD_MS);

describe.concurrent('in every order of what can happen all rules hold', () => {
  it.each(QUICK_CASES)('$model: $looksFor, $name', { timeout: LONGEST_MS }, async (model) => {
    const found = await search(spin, model);
    if (found.kind === 'violated') expect.fail(`${found.rule} does not hold:\n${found.steps}`);
    expect(found.states).toBeGreaterThan(1_000);
  });
});

it.each(BUGS)('the page has the row of the planted bug $name', (bug) => {
  expect(rows).toContain(rowOfBug(bug, bug.rule));
});
