import type { Surface } from '../actors/surface.ts';
import type { Fact } from '../facts/facts.ts';
import {
  CAUSES,
  type Cause,
  COMMON_FAULTS,
  COMMON_OUTCOMES,
  type Fault,
  type Outcome,
} from '../facts/names.ts';
import { SURFACES } from '../surfaces/index.ts';

/** What happened in one seed. */
export interface SeedCounts {
  readonly surface: string;
  readonly deliveries: number;
  readonly faults: number;
}

type Tally = Map<string, number>;

type Tallies = Readonly<Record<'faults' | 'outcomes' | 'causes', Tally>>;

/** What happened in many seeds, in a form that processes can send. */
export interface Counts {
  readonly seeds: readonly SeedCounts[];
  /** By the name of a surface. */
  readonly tried: ReadonlyMap<string, Tallies>;
}

/** From so many seeds of a surface on, something that never happened is a fault of the simulation. */
const ENOUGH_SEEDS = 500;
/** The same of what happens in a few of 1,000 seeds. */
const ENOUGH_FOR_RARE = 5_000;
const RARE: readonly string[] = [
  'kafka: kept: failed',
  'kafka: RETRY_TOPIC_NOT_CONSUMED',
  'kafka-batch: kept: failed',
  'kafka-batch: RETRY_TOPIC_NOT_CONSUMED',
  'its claim landed too late',
];

/** What a run has tried, on each surface: a rule says little that holds where nothing happened. */
export class Coverage {
  readonly #tried: ReadonlyMap<string, Tallies> = new Map(
    SURFACES.map((surface) => [surface.name, talliesOf(surface)]),
  );
  readonly seeds: SeedCounts[] = [];
  #seed = newSeed();

  note(fact: Fact): void {
    if (fact.type === 'delivered') this.#seed.deliveries += 1;
    if (fact.type === 'event') this.#seed.outcomes.push(fact.name);
    if (fact.type === 'fault') this.#seed.faults.push(fact.fault);
  }

  noteCause(cause: Cause): void {
    this.#seed.causes.push(cause);
  }

  endSeed({ name }: Surface): void {
    const { deliveries, ...happened } = this.#seed;
    const tallies = this.#tried.get(name) as Tallies;
    for (const title of TITLES) {
      for (const one of happened[title]) add(tallies[title], one);
    }
    this.seeds.push({ surface: name, deliveries, faults: happened.faults.length });
    this.#seed = newSeed();
  }

  get counts(): Counts {
    return { seeds: this.seeds, tried: this.#tried };
  }

  /** Adds what another has counted. */
  add({ seeds, tried }: Counts): void {
    this.seeds.push(...seeds);
    for (const [surface, tallies] of tried) {
      const own = this.#tried.get(surface) as Tallies;
      for (const title of TITLES) {
        for (const [name, count] of tallies[title]) add(own[title], name, count);
      }
    }
  }

  /** What never happened: a fault or an outcome on a surface that had seeds enough, or a cause on all surfaces. */
  missing(): string[] {
    const tried = [...this.#tried].filter(([surface]) => this.seedsOf(surface) >= ENOUGH_SEEDS);
    const own = tried.flatMap(([surface, { faults, outcomes }]) =>
      [...zerosOf(faults), ...zerosOf(outcomes)]
        .map((name) => `${surface}: ${name}`)
        .filter((name) => !RARE.includes(name) || this.seedsOf(surface) >= ENOUGH_FOR_RARE),
    );
    const hasAll = [...this.#tried.keys()].every((surface) => this.seedsOf(surface) > 0);
    return [...own, ...(hasAll && this.seeds.length >= ENOUGH_SEEDS ? this.#missingCauses() : [])];
  }

  #missingCauses(): string[] {
    const tallies = [...this.#tried.values()].map(({ causes }) => causes);
    const judged = CAUSES.filter((cause) => !RARE.includes(cause) || this.seeds.length >= ENOUGH_FOR_RARE);
    return judged.filter((cause) => tallies.every((tally) => (tally.get(cause) ?? 0) === 0));
  }

  seedsOf(surface: string): number {
    return this.seeds.filter((seed) => seed.surface === surface).length;
  }

  /** How often each thing happened, as text. */
  toText(): string {
    const surfaces = [...this.#tried.keys()];
    const seeds = ['seeds', ...surfaces.map((name) => lineOf([toCell(this.seedsOf(name))], name))].join('\n');
    const tables = TITLES.map((title) => [title, ...this.#linesOf(title)].join('\n'));
    const mean = (of: 'deliveries' | 'faults'): string =>
      (this.seeds.reduce((sum, counts) => sum + counts[of], 0) / this.seeds.length).toFixed(1);
    const summary = `${this.seeds.length} seeds, ${mean('deliveries')} deliveries and ${mean('faults')} faults a seed`;
    return [...tables, seeds, summary].join('\n\n');
  }

  /** One for each name, with a column for each surface. */
  #linesOf(title: keyof Tallies): string[] {
    const tallies = [...this.#tried.values()].map((of) => of[title]);
    const names = new Set(tallies.flatMap((tally) => [...tally.keys()]));
    const lines = [...names].map((name) =>
      lineOf(
        tallies.map((tally) => toCell(tally.get(name))),
        name,
      ),
    );
    return [lineOf([...this.#tried.keys()], ''), ...lines];
  }
}

const TITLES = ['faults', 'outcomes', 'causes'] as const;

function newSeed() {
  return { deliveries: 0, faults: [] as string[], outcomes: [] as string[], causes: [] as string[] };
}

function talliesOf({ faults, outcomes, lacks }: Surface): Tallies {
  const zeros = (names: readonly (Fault | Outcome | Cause)[]): Tally =>
    new Map(names.filter((name) => !lacks.includes(name)).map((name) => [name, 0]));
  return {
    faults: zeros([...COMMON_FAULTS, ...faults]),
    outcomes: zeros([...COMMON_OUTCOMES, ...outcomes]),
    causes: zeros(CAUSES),
  };
}

/** Names that are not listed are of events that say nothing of an end. */
function add(tally: Tally, name: string, more = 1): void {
  const count = tally.get(name);
  if (count !== undefined) tally.set(name, count + more);
}

function zerosOf(tally: Tally): string[] {
  return [...tally].flatMap(([name, count]) => (count === 0 ? [name] : []));
}

function toCell(count: number | undefined): string {
  return count === undefined ? '-' : count.toLocaleString('en');
}

const CELL_WIDTH = 14;

function lineOf(cells: readonly string[], name: string): string {
  return `${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}  ${name}`.trimEnd();
}
