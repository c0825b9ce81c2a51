import type { NetworkFault } from '../facts/names.ts';
import type { NetworkPlan, Outage, Side } from '../plan/network-plan.ts';
import type { Life } from '../time/life.ts';
import type { Random } from '../time/random.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { Fate } from './fate.ts';

/** Milliseconds of one way. */
const LATENCY: Readonly<Record<Side, readonly [from: number, below: number]>> = {
  store: [0.2, 3],
  broker: [2, 20],
};

/** The ways between the workers and what they talk to. */
export class Network {
  readonly #plan: NetworkPlan;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #onFault: (fault: NetworkFault, life: Life) => void;

  constructor(
    plan: NetworkPlan,
    random: Random,
    scheduler: Scheduler,
    onFault: (fault: NetworkFault, life: Life) => void,
  ) {
    this.#plan = plan;
    this.#random = random;
    this.#scheduler = scheduler;
    this.#onFault = onFault;
  }

  get isCalm(): boolean {
    return this.#scheduler.now() >= this.#plan.calmFrom;
  }

  /** Makes a call that ends as its fate is. `effect` is what it does when it lands; an error is a refusal. */
  send<Result>(
    life: Life,
    fate: Fate,
    effect: () => Result | Error,
    failure: (mayHaveLanded: boolean) => Error,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let answer = (): void => {
        reject(failure(fate.fault?.endsWith('refuses connections') !== true));
      };
      if (fate.landsAfterMs !== undefined) {
        this.#scheduler.after(fate.landsAfterMs, () => {
          const result = effect();
          if (fate.answer === 'reply')
            answer = () => {
              if (result instanceof Error) reject(result);
              else resolve(result);
            };
        });
      }
      if (fate.answer !== 'silence')
        life.arrive(fate.answersAfterMs, () => {
          answer();
        });
    });
  }

  fateOf(life: Life, side: Side): Fate {
    const fate = this.#isOut(side, life.worker) ?? this.#accident(side) ?? this.#fine(side);
    if (fate.fault !== undefined) this.#onFault(fate.fault, life);
    return fate;
  }

  #isOut(side: Side, worker: string): Fate | undefined {
    const now = this.#scheduler.now();
    const outage = this.#plan.outages.find(
      (one) => isOf(one, side, worker) && one.from <= now && now < one.to,
    );
    if (outage === undefined) return undefined;
    return outage.isSilent
      ? never('silence', 0, `${side} is silent`)
      : never('error', this.#oneWay(side), `${side} refuses connections`);
  }

  #accident(side: Side): Fate | undefined {
    if (this.isCalm) return undefined;
    const random = this.#random;
    const rates = this.#plan.rates[side];
    const lot = random.next();
    let share = rates.requestLost;
    if (lot < share) return never(this.#badAnswer(), 2 * this.#oneWay(side), `${side} request lost`);
    share += rates.replyLost;
    if (lot < share) {
      const landsAfterMs = this.#oneWay(side);
      const answersAfterMs = landsAfterMs + this.#oneWay(side);
      return { landsAfterMs, answer: this.#badAnswer(), answersAfterMs, fault: `${side} reply lost` };
    }
    share += rates.late;
    if (lot < share && side === 'store') {
      const isSilent = random.chance(0.5);
      const landsAfterMs = random.between(isSilent ? 1 : 0.3, isSilent ? 6 : 3) * this.#plan.leaseMs;
      const late = replied(landsAfterMs, this.#oneWay(side), 'store statement lands late');
      return isSilent ? { ...late, answer: 'silence' } : late;
    }
    share += rates.slow;
    if (lot >= share) return undefined;
    return replied(random.between(100, 1_500), random.between(100, 1_500), `${side} slow`);
  }

  #fine(side: Side): Fate {
    return replied(this.#oneWay(side), this.#oneWay(side), undefined);
  }

  #oneWay(side: Side): number {
    return this.#random.between(...LATENCY[side]);
  }

  /** A connection that breaks, or one that is silent from then on. */
  #badAnswer(): 'error' | 'silence' {
    return this.#random.chance(0.6) ? 'error' : 'silence';
  }
}

function isOf(outage: Outage, side: Side, worker: string): boolean {
  return outage.side === side && (outage.worker ?? worker) === worker;
}

function never(answer: 'error' | 'silence', answersAfterMs: number, fault: NetworkFault): Fate {
  return { landsAfterMs: undefined, answer, answersAfterMs, fault };
}

function replied(landsAfterMs: number, backMs: number, fault: NetworkFault | undefined): Fate {
  return { landsAfterMs, answer: 'reply', answersAfterMs: landsAfterMs + backMs, fault };
}
