/**
 * Looks for every planted bug, and prints the rows of the table in docs/correctness.md: `npm run planted`. Ends with 1
 * where a bug is not found, or where the page has another row.
 */
import { readFileSync } from 'node:fs';
import { plantedBugs, rowOf, search } from './planted.ts';

const page = readFileSync(new URL('../../docs/correctness.md', import.meta.url), 'utf8').replaceAll(
  / +/g,
  ' ',
);

for (const bug of plantedBugs()) {
  const found = await search(bug);
  const row = found === undefined ? `NOT FOUND: ${bug}` : rowOf(bug, found);
  const isOnPage = page.includes(`\n${row}\n`);
  console.log(isOnPage || found === undefined ? row : `NOT IN docs/correctness.md: ${row}`);
  if (!isOnPage) process.exitCode = 1;
}
