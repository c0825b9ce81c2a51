import { expect, it } from 'vitest';
import { rows } from '../../proof/runtimes/rows.ts';
import { tableUnder, textOf } from './documents.ts';

const PAGE = textOf('docs/limits.md');

it('each system of the page is tested, and each test has its system there', () => {
  const documented = ['What it runs on', 'TypeScript']
    .flatMap((heading) => tableUnder(PAGE, heading))
    .flatMap(([systems = '']) => systems.split('; '));
  // One system has both ways to load a module.
  const tested = new Set(rows.map(({ name }) => name.replace(/, `(?:import|require\(\))`$/, '')));
  expect(documented.toSorted()).toEqual([...tested].toSorted());
});
