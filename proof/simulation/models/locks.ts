import type { Interval } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** How often another transaction has a record locked that a statement comes to. */
const LOCKED_SHARE = 0.03;

/** Of them, how many end within half a lease: such a one costs nobody a message. */
const SHORT_SHARE = 0.8;
const LONGEST_SHORT = 0.5;
const LONGEST = 2;

export interface Lock extends Interval {
  /** Whether a lease can be lost to it. */
  readonly isLong: boolean;
}

/** Transactions of others, such as a dump or a migration, which lock records for a while. */
export class Locks {
  readonly #world: World;
  readonly #locks = new Map<string, Lock>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The lock that a statement meets at a record. */
  met(key: string): Lock | undefined {
    const { scheduler, network, random, plan } = this.#world;
    const leaseMs = Math.min(plan.settings.leaseMs, plan.settingsBeside?.leaseMs ?? Infinity);
    if (!plan.locks || network.isCalm) return undefined;
    const from = scheduler.now();
    const known = this.#locks.get(key);
    if (known !== undefined && known.to > from) return known;
    // Two short ones, one soon after the other, would be a long one.
    if (known !== undefined && from < known.to + LONGEST * leaseMs) return undefined;
    if (!random.chance(LOCKED_SHARE)) return undefined;
    const isLong = !random.chance(SHORT_SHARE);
    const leases = isLong ? random.between(LONGEST_SHORT, LONGEST) : random.between(0, LONGEST_SHORT);
    const lock = { from, to: from + leases * leaseMs, isLong };
    this.#locks.set(key, lock);
    return lock;
  }
}
