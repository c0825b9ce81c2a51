/** The one place that a process has for a message which may kill it. */
export interface SuspectPlace {
  /** Takes the place, if it is free. Returns what gives it back. */
  enter(): (() => void) | undefined;
  /** Reserves the next turn for a message that found the place taken. Returns the milliseconds until then. */
  reserveTurn(): number;
}

const SHORTEST_TURN_MS = 100;
const LONGEST_WAIT_MS = 300_000;
/** Of the last run in the estimate of the next. */
const WEIGHT = 0.2;

/**
 * Suspects run one at a time, so that the one that kills the process is known by its death.
 *
 * Those that wait come back one after the other, about as fast as suspects have run: a thousand that all came back
 * every second would use up the receive counts of their messages.
 */
export function createSuspectPlace(): SuspectPlace {
  let isTaken = false;
  let turnMs = 1_000;
  let nextTurnAt = 0;

  return {
    enter() {
      if (isTaken) return undefined;
      isTaken = true;
      const enteredAt = performance.now();
      return () => {
        isTaken = false;
        turnMs += WEIGHT * (performance.now() - enteredAt - turnMs);
      };
    },
    reserveTurn() {
      const time = performance.now();
      const turn = Math.max(turnMs, SHORTEST_TURN_MS);
      nextTurnAt = Math.min(Math.max(nextTurnAt, time) + turn, time + LONGEST_WAIT_MS);
      return Math.ceil(nextTurnAt - time);
    },
  };
}

/** The place of this process, whatever scopes and clients it has. */
export const placeOfThisProcess = createSuspectPlace();
