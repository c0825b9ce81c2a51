import { expect, it } from 'vitest';
import { rows } from '../../proof/runtimes/rows.ts';
import { tableUnder, textOf } from './documents.ts';

const PAGE = textOf('docs/runtimes.md');

it('each row of the page on runtimes is tested, and each test is a row', () => {
  const documented = ['What runs', 'Where TypeScript finds the types']
    .flatMap((heading) => tableUnder(PAGE, heading))
    .map(([system]) => system);
  expect(documented.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});
