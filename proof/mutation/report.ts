import type { Mutant } from './instrument.ts';

type Outcomes = Readonly<Record<string, string>>;

/** What was not seen, and a row of the table in proof/mutation/README.md. */
export function toReport(slice: string, mutants: readonly Mutant[], outcomes: Outcomes): string {
  const all = mutants.map(({ key, text }) => ({ text, outcome: outcomes[key] ?? '' }));
  const count = (pattern: RegExp): number => all.filter(({ outcome }) => pattern.test(outcome)).length;
  const open = all.filter(({ outcome }) => /^(survived|not reached)/.test(outcome));
  const cells = [
    all.length,
    count(/^killed by \d+ > proof/),
    count(/^killed by \d+ > test/),
    count(/^timeout/),
    count(/^survived/),
    count(/^not reached/),
    count(/^static/),
  ];
  return [
    ...open.map(({ text, outcome }) => `${outcome}  ${text}`),
    `| \`${slice}\` | ${cells.join(' | ')} |`,
    '',
  ].join('\n');
}
