import type { DatabaseRow } from '../../src/postgres/database-client.ts';

/** Records of one scope in one state. */
export interface Count {
  readonly scope: string;
  readonly state: string;
  readonly records: number;
  readonly abandoned: number;
  /** Of the first claim of the oldest, in milliseconds since 1970. */
  readonly oldestMs: number;
}

/** What a walk has counted so far. */
export class Tally {
  readonly #counts = new Map<string, Count>();

  constructor(counts: readonly Count[]) {
    for (const count of counts) this.#add(count);
  }

  /** Adds what the statement for some pages answered. */
  add(rows: readonly DatabaseRow[]): void {
    for (const [scope, state, records, abandoned, oldestMs] of rows) {
      this.#add({
        scope: scope ?? '',
        state: state ?? '',
        records: Number(records),
        abandoned: Number(abandoned),
        oldestMs: Number(oldestMs),
      });
    }
  }

  counts(): Count[] {
    return [...this.#counts.values()];
  }

  sums(): { readonly records: number; readonly abandoned: number } {
    const counts = this.counts();
    const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
    return { records: sum(({ records }) => records), abandoned: sum(({ abandoned }) => abandoned) };
  }

  #add(found: Count): void {
    const id = JSON.stringify([found.scope, found.state]);
    const known = this.#counts.get(id);
    if (known === undefined) {
      this.#counts.set(id, found);
      return;
    }
    this.#counts.set(id, {
      ...found,
      records: known.records + found.records,
      abandoned: known.abandoned + found.abandoned,
      oldestMs: Math.min(known.oldestMs, found.oldestMs),
    });
  }
}
