/**
 * Checks the models, and that they find the bugs planted in them: `npm run model`. It prints the tables of
 * docs/evidence/correctness.md, and ends with 1 when a rule does not hold, or a bug breaks none. With `-- --large` it
 * checks larger cases too, which take minutes and gigabytes.
 */
import { BUGS, CASES, LARGE_CASES } from './cases.ts';
import { spinProgram } from './spin-program.ts';
import { search } from './spin.ts';
import { HEADS, rowOfBug, rowOfCase } from './tables.ts';

const isLarge = process.argv.includes('--large');
const spin = await spinProgram();

console.log(HEADS.cases);
for (const model of isLarge ? [...CASES, ...LARGE_CASES] : CASES) {
  const found = await search(spin, model);
  if (found.kind === 'holds') {
    console.log(rowOfCase(model, found));
  } else {
    console.log(`${found.steps}\nNOT KEPT: ${found.rule}, ${model.model}, ${model.name}`);
    process.exitCode = 1;
  }
}
console.log(`\n${HEADS.bugs}`);
for (const bug of BUGS) {
  const found = await search(spin, bug);
  console.log(found.kind === 'violated' ? rowOfBug(bug, found.rule) : `NOT FOUND: ${bug.name}`);
  if (found.kind === 'holds') process.exitCode = 1;
}
