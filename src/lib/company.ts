import { atEndOfTurn } from './clock.ts';

/** A coalescer of the company. */
export interface Member {
  readonly isWaiting: () => boolean;
  /** Lets go what may go now. */
  readonly flush: () => void;
}

/** Coalescers whose requests set each other off, as a claim does a settle, and that one the next claim. */
export interface Company {
  readonly join: (member: Member) => void;
  /** Lets members go at the end of this turn, in the order in which they joined. */
  readonly schedule: () => void;
  /** Whether nothing is under way, and no other member has requests. */
  readonly isFree: (member: Member) => boolean;
  /** Whether a member that yields waits now, until a batch under way has ended. Asked where it could go. */
  readonly mustYield: () => boolean;
  readonly sent: () => void;
  readonly answered: () => void;
}

const MOST_TOGETHER = 2;

/**
 * What has met stays together, so callers in step need it a few times only: they then have batches of half of what is
 * in flight, and not a quarter. To others each time costs a part of a round trip: yielding always made 300 callers,
 * whose handlers took up to 10 ms, 0.87x as fast over a network of 1 ms.
 */
const YIELDS_EVERY = 8;

export function createCompany(): Company {
  const members: Member[] = [];
  let underWay = 0;
  let occasions = 0;
  let isYielding = false;
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
    mustYield() {
      if (underWay < MOST_TOGETHER) isYielding = false;
      else if (!isYielding) {
        occasions += 1;
        isYielding = occasions % YIELDS_EVERY === 0;
      }
      return isYielding;
    },
    sent() {
      underWay += 1;
    },
    answered() {
      underWay -= 1;
    },
  };
}
