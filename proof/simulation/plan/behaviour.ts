import type { Random } from '../time/random.ts';

/** How a handler ends. */
export type Ending =
  | 'returns'
  | 'returns too much'
  | 'returns what the store refuses'
  | 'throws'
  | 'throws a terminal error'
  | 'asks for a later retry'
  | 'says not yet'
  | 'hangs'
  | 'kills its process';

/** What a handler does in one of its runs. */
export interface Behaviour {
  /** Milliseconds before each effect. 0: none. */
  readonly waits: readonly number[];
  /** Whether it looks at its signal before each effect. */
  readonly heeds: boolean;
  /** For how long its process is frozen before the last effect. */
  readonly standsStillMs: number;
  readonly ends: Ending;
}

/** Of every run that has nothing special planned. */
export const PLAIN: Behaviour = { waits: [5], heeds: true, standsStillMs: 0, ends: 'returns' };

const ENDINGS: readonly Ending[] = [
  'returns',
  'returns',
  'returns',
  'returns too much',
  'returns what the store refuses',
  'throws',
  'throws',
  'throws a terminal error',
  'asks for a later retry',
  'says not yet',
  'hangs',
  'kills its process',
];

export function behaviourOf(random: Random, leaseMs: number): Behaviour {
  const longestMs = random.pick([0, 100, 100, leaseMs]);
  const waits = Array.from({ length: random.whole(1, 3) }, () => random.between(0, longestMs));
  return {
    waits,
    heeds: random.chance(0.75),
    standsStillMs: random.chance(0.08) ? random.between(0.2, 3) * leaseMs : 0,
    ends: random.pick(ENDINGS),
  };
}

/** One that fails in the same way whenever it runs. */
export function doomed(ends: 'throws' | 'kills its process'): Behaviour {
  return { ...PLAIN, ends };
}
