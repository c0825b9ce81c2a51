import { atEndOfTurn } from './clock.ts';

/** A coalescer of the group. */
export interface Member {
  readonly isWaiting: () => boolean;
  /** Sends what may be sent now. */
  readonly flush: () => void;
}

/** They keep the other side busy: see `MAX_BATCHES` of one coalescer. */
const FULL = 2;

/** Coalescers with requests that set each other off: a claim leads to a settle, which leads to the next claim. */
export class BatchGroup {
  readonly #members: Member[] = [];
  #underWay = 0;
  #isScheduled = false;

  join(member: Member): void {
    this.#members.push(member);
  }

  /**
   * Flushes the members at the end of this turn, in the order in which they joined. Not in a microtask: requests that
   * replies have set off go with the batch.
   */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTurn(this.#flush);
  }

  /** Whether no batch is under way, and no other member has requests. */
  isFree(member: Member): boolean {
    return this.#underWay === 0 && this.#members.every((other) => other === member || !other.isWaiting());
  }

  /** Whether two batches are under way, of whichever members. */
  isFull(): boolean {
    return this.#underWay >= FULL;
  }

  sent(): void {
    this.#underWay += 1;
  }

  answered(): void {
    this.#underWay -= 1;
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    for (const member of this.#members) member.flush();
  };
}
