import { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import type { Worker } from './surface.ts';

/** How soon a process that died is started again. */
const RESTART_MS = [200, 3_000] as const;

/** Starts the worker of a process. `onHang` is told of a handler that never ends. */
type Start = (life: Life, onHang: () => void) => Worker;

/** One worker as its supervisor keeps it: when its process ends, a new one is started. */
export class WorkerSlot {
  readonly #world: World;
  readonly #name: string;
  readonly #start: Start;
  #lives = 0;
  #life: Life;
  #worker: Worker;
  #hangs = false;

  constructor(world: World, name: string, start: Start) {
    this.#world = world;
    this.#name = name;
    this.#start = start;
    this.#life = this.#begin();
    this.#worker = this.#startWorker();
    this.#watch();
  }

  get life(): Life {
    return this.#life;
  }

  die(): void {
    this.#life.die();
  }

  /** Stops the worker as a deployment does, and ends its process then. */
  deploy(): void {
    const life = this.#life;
    if (!life.isAlive || life.standsStill) return;
    this.#world.tell({ type: 'fault', fault: 'worker stopped for a deployment', life });
    life.isStopping = true;
    void this.#worker.stop().then(() => {
      life.die();
    });
  }

  /** Ends a process in which a handler hangs: that would never end. */
  endHang(): void {
    if (this.#hangs) this.#life.die();
  }

  #begin(): Life {
    const { scheduler, random, plan, tell, ledger } = this.#world;
    this.#lives += 1;
    const id = `${this.#name}.${this.#lives}`;
    const life = new Life(this.#name, id, scheduler, random.fork(), plan.areClocksWrong);
    if (plan.areClocksWrong) tell({ type: 'fault', fault: 'wall clock wrong', life });
    if (ledger.settingsOf(life) !== plan.settings)
      tell({ type: 'fault', fault: 'worker with other settings began', life });
    tell({ type: 'life', life, what: 'began' });
    return life;
  }

  #startWorker(): Worker {
    return this.#start(this.#life, () => {
      this.#hangs = true;
    });
  }

  /** Looks now and then whether the process is there. */
  #watch(): void {
    const { scheduler, random } = this.#world;
    scheduler.after(random.between(...RESTART_MS), () => {
      if (!this.#life.isAlive) this.#restart();
      this.#watch();
    });
  }

  #restart(): void {
    this.#world.tell({ type: 'life', life: this.#life, what: 'ended' });
    this.#hangs = false;
    this.#life = this.#begin();
    this.#worker = this.#startWorker();
  }
}
