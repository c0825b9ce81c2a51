import { type Clock, systemClock } from '../lib/clock.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import { createBatchGuard } from './batch-guard.ts';

/** A lease that is kept. */
interface KeptLease {
  /** Asks the database whose the record is, where only the wall clock says that the lease is over. */
  askIfDoubtful(): void;
}

export type Host = Readonly<ReturnType<typeof createHost>>;

/**
 * What a process gives to all engines in it: tests and the simulation make several. `workerId` is its name in the
 * records, and the beginning of its fencing tokens.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createHost(clock: Clock, workerId: string) {
  return {
    clock,
    workerId,
    suspects: createSuspectSlot(clock),
    batches: createBatchGuard(),
    /** Of all engines: they have the same clocks. */
    leases: new Set<KeptLease>(),
  };
}

/** This process, whatever scopes and clients it has. */
export const thisProcess = createHost(systemClock, WORKER_ID);

const SHORTEST_TURN_MS = 100;
const LONGEST_WAIT_MS = 300_000;
/** By then the waiting messages have come back so often that their queue is about to give up on them. */
const LONGEST_STAY_MS = 1_800_000;
/** Of the last run in the estimate of the next. */
const WEIGHT = 0.2;

/**
 * The one slot that a process has for a message which may kill it. Suspects run one at a time, so that the one that
 * kills the process is known by its death.
 *
 * The others come back one after the other, about as fast as suspects have run: a thousand that all came back every
 * second would use up the receive counts of their messages. One that hangs blocks them for a bounded time.
 */
export function createSuspectSlot(clock: Clock) {
  let stay: { readonly enteredAt: number } | undefined;
  let turnMs = 1_000;
  let nextTurnAt = 0;

  return {
    /** Takes the slot, if it is free. Returns what gives it back; a second call of that does nothing. */
    enter(): (() => void) | undefined {
      const enteredAt = clock.monotonic();
      if (stay !== undefined && enteredAt - stay.enteredAt < LONGEST_STAY_MS) return undefined;
      const own = { enteredAt };
      stay = own;
      return () => {
        // Another may have it by now.
        if (stay !== own) return;
        stay = undefined;
        turnMs += WEIGHT * (clock.monotonic() - enteredAt - turnMs);
      };
    },
    /** Reserves the next turn for a message that found the place taken. Returns the milliseconds until then. */
    reserveTurn(): number {
      const time = clock.monotonic();
      // A run that has taken so long may well take as long again.
      const runningMs = stay === undefined ? 0 : time - stay.enteredAt;
      const turn = Math.max(turnMs, runningMs, SHORTEST_TURN_MS);
      const waitMs = Math.min(Math.max(nextTurnAt - time, 0) + turn, LONGEST_WAIT_MS);
      nextTurnAt = time + waitMs;
      return Math.ceil(waitMs);
    },
  };
}
