import { expect, it } from 'vitest';
import { CAUSES } from '../../proof/simulation/facts/names.ts';
import { namesIn, tableUnder, textOf } from './documents.ts';

const page = textOf('docs/evidence/correctness.md');
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

const cases = tableUnder(textOf('docs/guarantees.md'), 'The cases').map(([number]) => number);

it('each case of a second run has the test that shows it', () => {
  expect(cases.length).toBeGreaterThan(8);
  expect(tableUnder(page, 'Why code can still run twice').map(([number]) => number)).toEqual(cases);
});

it('each cause that the simulation knows belongs to one case', () => {
  const causes = tableUnder(page, 'The causes that the simulation accepts');
  expect([...cases, 'none']).toEqual(expect.arrayContaining(causes.map(([number]) => number)));
  const named = causes.flatMap(([, names = '']) => namesIn(names));
  expect(named.toSorted()).toEqual([...CAUSES].toSorted());
});
