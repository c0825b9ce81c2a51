import type { Comparison } from './compare.ts';
import type { Sizes } from './sizes.ts';

/** What a section is given. */
export interface Bench {
  /** A PostgreSQL server, in which each section makes a database of its own. */
  readonly postgresUrl: string;
  readonly sizes: Sizes;
}

/** What a section found, as it stands in the results. */
export interface Figures {
  /** What the comparisons have in common, or all there is. */
  readonly facts: Readonly<Record<string, string | number | readonly number[]>>;
  readonly comparisons: readonly Comparison[];
}

export type Section = (bench: Bench) => Promise<Figures>;
