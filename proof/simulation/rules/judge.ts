import type { Fact } from '../facts/facts.ts';
import type { Ledger } from '../facts/ledger.ts';
import type { Rule } from './rule.ts';

/** A rule that did not hold. */
export interface Violation {
  readonly rule: string;
  readonly at: number;
  readonly what: string;
}

/** Holds what happens in a world against the rules. */
export class Judge {
  /** The first rule that did not hold: what follows from it says nothing new. */
  violation: Violation | undefined;
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** The ledger does not know the fact yet. */
  look(fact: Fact, ledger: Ledger, at: number): void {
    for (const { name, violatedBy } of this.#rules) {
      const what = violatedBy(fact, ledger, at);
      if (what !== undefined) this.note({ rule: name, at, what });
    }
  }

  note(violation: Violation): void {
    this.violation ??= violation;
  }
}
