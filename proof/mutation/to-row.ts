import type { MutantResult } from '@stryker-mutator/api/core';
import { isSeed } from './seeds.ts';

/** Of the table in proof/mutation/README.md. */
export function toRow(slice: string, all: readonly MutantResult[]): string {
  const count = (isCounted: (mutant: MutantResult) => boolean): number => all.filter(isCounted).length;
  const bySeed = ({ killedBy = [] }: MutantResult): boolean => killedBy.some(isSeed);
  const cells = [
    count(({ status }) => status !== 'Ignored'),
    count(bySeed),
    count((mutant) => mutant.status === 'Killed' && !bySeed(mutant)),
    count(({ status }) => status === 'Timeout'),
    count(({ status }) => status === 'Survived'),
    count(({ status }) => status === 'NoCoverage'),
    count(({ status }) => status === 'Ignored'),
  ];
  return `| \`${slice}\` | ${cells.join(' | ')} |`;
}
