import type { DatabaseQueries } from '../../src/index.ts';
import type { LateStatements } from './late-statements.ts';

interface Known {
  readonly late: LateStatements;
  readonly unguarded: Pick<DatabaseQueries, 'query'>;
}

/** The transactions of a client, each by what its handler has of it. */
export class Transactions<Tx> {
  readonly #known = new WeakMap<object, Known>();

  add(transaction: Tx, late: LateStatements, unguarded: Pick<DatabaseQueries, 'query'>): void {
    this.#known.set(transaction as object, { late, unguarded });
  }

  /** What runs the settle. The handler has returned: what it sends later is refused. */
  readonly lastIn = (transaction: Tx): Pick<DatabaseQueries, 'query'> => {
    const { late, unguarded } = this.#known.get(transaction as object) as Known;
    late.close();
    return unguarded;
  };
}
