import type { Bug, Case } from './cases.ts';
import type { Found } from './spin.ts';

/** Of the tables in docs/evidence/correctness.md. */
export const HEADS = {
  cases: head(['model', 'looks for', 'with', 'states', 'time']),
  bugs: head(['planted', 'model', 'what is wrong', 'rule']),
};

function head(names: readonly string[]): string {
  return `${row(names)}\n${row(names.map(() => '---'))}`;
}

/** The row of a search in docs/evidence/correctness.md. */
export function rowOfCase(
  { model, name, looksFor }: Case,
  { states, seconds }: Extract<Found, { kind: 'holds' }>,
): string {
  return row([model, looksFor, name, states.toLocaleString('en'), `${seconds.toFixed(1)} s`]);
}

/** The row of a planted bug in docs/evidence/correctness.md. */
export function rowOfBug({ model, name, whatIsWrong }: Bug, rule: string): string {
  return row([`\`${name}\``, model, whatIsWrong, `\`${rule}\``]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
