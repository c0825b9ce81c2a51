import type { Outcome } from '../../../src/index.ts';
import type { Fact } from '../facts/facts.ts';
import { Ledger } from '../facts/ledger.ts';
import type { Plan, PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { Random } from '../time/random.ts';
import { Scheduler } from '../time/scheduler.ts';
import { Network } from './network.ts';

/** Is told of everything that happens, before the ledger is. */
type Witness = (fact: Fact, ledger: Ledger, at: number) => void;

/** What all have in common that is in one seed: time, chance, a network, and what has happened so far. */
export class World {
  readonly plan: Plan;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly ledger: Ledger;
  /** Runs of each key so far. */
  readonly #runs = new Map<string, number>();
  readonly #messages: ReadonlyMap<string, PlannedMessage>;
  readonly tell: (fact: Fact) => void;

  constructor(plan: Plan, witness: Witness) {
    this.plan = plan;
    this.random = plan.random;
    this.scheduler = new Scheduler(plan.random.fork());
    this.#messages = new Map(
      [...plan.messages, ...plan.neighbours, ...plan.spares].map((message) => [message.id, message]),
    );
    this.network = new Network(plan.network, plan.random.fork(), this.scheduler, (fault, life) => {
      this.tell({ type: 'fault', fault, life });
    });
    this.ledger = new Ledger(plan);
    this.tell = (fact) => {
      const at = this.scheduler.now();
      witness(fact, this.ledger, at);
      this.ledger.note(fact, at);
    };
  }

  messageOf(id: string): PlannedMessage {
    const message = this.#messages.get(id);
    if (message === undefined) throw new Error(`the world has no message ${id}`);
    return message;
  }

  /** Tells what `handleOnce` has returned to who called it. */
  tellOutcome(life: Life, message: PlannedMessage, outcome: Outcome<unknown> | undefined): void {
    if (outcome?.state !== 'succeeded') return;
    this.tell({ type: 'told', life, message, result: outcome.result as string | undefined });
  }

  /** Which run of a key this is, from 0. */
  nextRunOf(key: string): number {
    const run = this.#runs.get(key) ?? 0;
    this.#runs.set(key, run + 1);
    return run;
  }
}
