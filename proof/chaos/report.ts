/** One rule, and where it did not hold. */
export interface Check {
  readonly rule: string;
  /** How many things it was looked for in: with none it has shown nothing. */
  readonly looked: number;
  readonly violations: readonly string[];
}

/** What a storm has shown. */
export interface Report {
  readonly storm: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly checks: readonly Check[];
  /** Of the table of its kind, where there is one. */
  readonly row?: Row;
}

export interface Row {
  readonly fault: string;
  /** Where it was not run: why. */
  readonly cells: readonly string[] | string;
}

const MOST_SHOWN = 5;

export function holds({ looked, violations }: Check): boolean {
  return looked > 0 && violations.length === 0;
}

export function toText({ storm, figures, checks }: Report): string {
  const counted = Object.entries(figures).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  return [storm, `  ${counted.join(', ')}`, ...checks.flatMap(linesOf), ''].join('\n');
}

function linesOf(check: Check): string[] {
  const { rule, looked, violations } = check;
  const result = holds(check) ? 'ok' : looked === 0 ? 'NOT SEEN' : `${violations.length} VIOLATED`;
  const shown = violations.slice(0, MOST_SHOWN).map((violation) => `      ${violation}`);
  const count = looked.toLocaleString('en').padStart(7);
  return [`  ${result.padEnd(12)} ${count}  ${rule}`, ...shown];
}
