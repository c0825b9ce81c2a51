import { expect, it } from 'vitest';
import { namesIn, tableUnder, textOf } from './documents.ts';

const page = textOf('docs/correctness.md');
const promises = tableUnder(page, 'What is guaranteed, and what checks it');

function rulesUnder(heading: string, column: number): string[] {
  return tableUnder(page, heading).flatMap((row) => namesIn(row[column] ?? ''));
}

it('each rule of the simulation and of the models checks a promise, and no other is named', () => {
  const named = promises.flatMap(([, , rules = '']) => namesIn(rules));
  const known = [...rulesUnder('Rules', 0), ...rulesUnder('The models', 1)];
  expect([...new Set(named)].toSorted()).toEqual([...new Set(known)].toSorted());
});

it('each promise names its tests', () => {
  expect(promises.filter(([, , , tests = '']) => namesIn(tests).length === 0)).toEqual([]);
});

it('each cause of a second run has the test that shows it', () => {
  const causes = textOf('docs/guarantees.md').match(/^\d+\. \*\*/gm) ?? [];
  expect(causes).toHaveLength(5);
  expect(tableUnder(page, 'Why code can still run twice')).toHaveLength(causes.length + 1);
});
