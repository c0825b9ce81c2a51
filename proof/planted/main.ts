/** Looks for every planted bug, and prints the rows of the table in docs/correctness.md: `npm run planted`. */
import { plantedBugs, rowOf, search } from './planted.ts';

for (const bug of plantedBugs()) {
  const found = await search(bug);
  console.log(found === undefined ? `NOT FOUND: ${bug}` : rowOf(bug, found));
  if (found === undefined) process.exitCode = 1;
}
