// Prints how long the pages are, and fails where the manual is longer than it may be:
//   npm run words
import { textOf } from './documents.ts';
import { evidencePages, longCells, manualPages, MOST, wordsOf, wordsOfAll } from './words.ts';

function print(name: string, pages: readonly string[]): void {
  for (const page of pages) console.log(`${String(wordsOf(textOf(page))).padStart(7)}  ${page}`);
  console.log(`${String(wordsOfAll(pages)).padStart(7)}  ${name}, ${pages.length} pages\n`);
}

const manual = manualPages();
print('evidence', evidencePages());
print('manual', manual);

const faults = [
  ...(manual.length > MOST.pages ? [`${manual.length} pages, of at most ${MOST.pages}`] : []),
  ...(wordsOfAll(manual) > MOST.words ? [`${wordsOfAll(manual)} words, of at most ${MOST.words}`] : []),
  ...manual
    .filter((page) => wordsOf(textOf(page)) > MOST.wordsOfPage)
    .map((page) => `${page}: ${wordsOf(textOf(page))} words, of at most ${MOST.wordsOfPage}`),
  ...manual.flatMap((page) =>
    longCells(textOf(page)).map((cell) => `${page}: a cell of ${wordsOf(cell)} words: ${cell.slice(0, 60)}`),
  ),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
