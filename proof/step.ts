import type postgres from 'postgres';

/** What a step works with. */
export interface Proof {
  /** A migrated database of the step's own. */
  readonly sql: postgres.Sql;
  /** Of the same database. */
  readonly databaseUrl: string;
  /** What decides where it decides by chance. */
  readonly seed: number;
}

/** What a step has found, as a section of docs/evidence/proof.md. */
export interface Finding {
  /** Whether everything held. */
  readonly holds: boolean;
  /** Markdown: sentences, tables, or what a program has printed. */
  readonly text: string;
}

/** Something that takes too long for CI. */
export interface Step {
  /** By it the step is asked for: `npm run proof -- limits`. */
  readonly name: string;
  /** Of its section. */
  readonly title: string;
  readonly run: (proof: Proof) => Promise<Finding>;
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
