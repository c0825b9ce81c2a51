import type { Fact } from '../facts.ts';
import { CAUSES, type Cause, FAULTS, OUTCOMES } from './names.ts';

/** What happened in one seed. */
export interface SeedCounts {
  readonly deliveries: number;
  readonly faults: number;
}

type Tally = Map<string, number>;

/** What a run has tried: a rule says little that holds where nothing happened. */
export class Coverage {
  readonly #tallies = { faults: zeros(FAULTS), outcomes: zeros(OUTCOMES), causes: zeros(CAUSES) };
  readonly seeds: SeedCounts[] = [];
  #deliveries = 0;
  #faults = 0;

  note(fact: Fact): void {
    if (fact.type === 'delivered') this.#deliveries += 1;
    if (fact.type === 'event') add(this.#tallies.outcomes, fact.name);
    if (fact.type !== 'fault') return;
    this.#faults += 1;
    add(this.#tallies.faults, fact.fault);
  }

  noteCause(cause: Cause): void {
    add(this.#tallies.causes, cause);
  }

  endSeed(): void {
    this.seeds.push({ deliveries: this.#deliveries, faults: this.#faults });
    this.#deliveries = 0;
    this.#faults = 0;
  }

  /** What never happened. */
  missing(): string[] {
    const all = Object.values(this.#tallies).flatMap((tally) => [...tally]);
    return all.filter(([, count]) => count === 0).map(([name]) => name);
  }

  /** How often each thing happened, as text. */
  toText(): string {
    const tables = Object.entries(this.#tallies).map(([title, tally]) =>
      [title, ...linesOf(tally)].join('\n'),
    );
    const mean = (of: keyof SeedCounts): string =>
      (this.seeds.reduce((sum, counts) => sum + counts[of], 0) / this.seeds.length).toFixed(1);
    const summary = `${this.seeds.length} seeds, ${mean('deliveries')} deliveries and ${mean('faults')} faults a seed`;
    return [...tables, summary].join('\n\n');
  }
}

function zeros(names: readonly string[]): Tally {
  return new Map(names.map((name) => [name, 0]));
}

/** Names that are not listed are of events that say nothing of an end. */
function add(tally: Tally, name: string): void {
  const count = tally.get(name);
  if (count !== undefined) tally.set(name, count + 1);
}

function linesOf(tally: Tally): string[] {
  return [...tally].map(([name, count]) => `${count.toLocaleString('en').padStart(12)}  ${name}`);
}
