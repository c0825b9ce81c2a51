import type { Fact } from '../facts/facts.ts';
import type { Ledger } from '../facts/ledger.ts';

/** One thing that handle-once promises. */
export interface Rule {
  readonly name: string;
  readonly promise: string;
  /** What is wrong about a fact, which the ledger does not know yet. Undefined: nothing. */
  readonly violatedBy: (fact: Fact, ledger: Ledger, at: number) => string | undefined;
}

/** Times are sums of fractions. */
export const ROUNDING_MS = 0.001;
