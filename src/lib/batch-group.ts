import { atEndOfTurn } from './clock.ts';

/** A coalescer of the group. */
export interface Member {
  readonly isWaiting: () => boolean;
  /** Lets go what may go now. */
  readonly flush: () => void;
}

/** Coalescers whose requests set each other off, as a claim does a settle, and that one the next claim. */
export interface BatchGroup {
  readonly join: (member: Member) => void;
  /** Lets members go at the end of this turn, in the order in which they joined. */
  readonly schedule: () => void;
  /** Whether nothing is under way, and no other member has requests. */
  readonly isFree: (member: Member) => boolean;
  /** Whether two batches are under way, of whichever members. */
  readonly isFull: () => boolean;
  readonly sent: () => void;
  readonly answered: () => void;
}

/** They keep the other side busy: see `MAX_BATCHES` of one coalescer. */
const FULL = 2;

export function createBatchGroup(): BatchGroup {
  const members: Member[] = [];
  let underWay = 0;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    for (const member of members) member.flush();
  }

  return {
    join(member) {
      members.push(member);
    },
    /** Not in a microtask: what replies have set off is to be asked for too before a batch goes. */
    schedule() {
      if (isScheduled) return;
      isScheduled = true;
      atEndOfTurn(flush);
    },
    isFree: (member) => underWay === 0 && members.every((other) => other === member || !other.isWaiting()),
    isFull: () => underWay >= FULL,
    sent() {
      underWay += 1;
    },
    answered() {
      underWay -= 1;
    },
  };
}
