import type { Life, Trouble } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** How long a connection waits for an answer before its client closes it. */
export const PATIENCE_MS = 8_000;

/**
 * The connections of one process to its database, which engine and handlers share. Who comes when all are taken waits,
 * first come first served. Once faults have stopped there are enough.
 */
export class Pool {
  readonly #world: World;
  readonly #life: Life;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(world: World, life: Life) {
    this.#world = world;
    this.#life = life;
    const { scheduler, plan } = world;
    scheduler.after(plan.network.calmFrom - scheduler.now(), () => {
      while (this.#waiting.length > 0) this.#giveOut();
    });
  }

  /** Takes a connection for a time, for a call or for a handler. What is returned gives it back. */
  async take(call?: Pick<Trouble, 'verb' | 'tokens'>): Promise<() => void> {
    if (this.#taken < this.#size()) this.#taken += 1;
    else await this.#wait(call);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      if (this.#waiting.length > 0) this.#giveOut();
    };
  }

  #size(): number {
    const { network, plan } = this.#world;
    return network.isCalm ? Infinity : (plan.settings.connections ?? Infinity);
  }

  #giveOut(): void {
    this.#taken += 1;
    this.#waiting.shift()?.();
  }

  async #wait(call: Pick<Trouble, 'verb' | 'tokens'> | undefined): Promise<void> {
    const life = this.#life;
    const { scheduler, tell } = this.#world;
    tell({ type: 'fault', fault: 'pool exhausted', life });
    const trouble = { from: scheduler.now(), to: Infinity };
    if (call !== undefined) life.troubles.push(Object.assign(trouble, call));
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    trouble.to = scheduler.now();
  }
}
