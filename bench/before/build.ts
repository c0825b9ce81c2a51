import type { Comparable } from '../built.ts';

/** This package as it is now, or as it was, with tables of its own. */
export interface Build extends Comparable {
  readonly name: string;
  readonly schema: string;
}
