import type { Clock } from '../../../src/adapter-kit.ts';
import { isTimeout } from './in-time.ts';

/** What a call takes at most while all is well: a client sends again what failed. */
const PATIENCE_MS = 5_000;

/** Whether a queue answers at all. */
export function createAnswers(clock: Clock) {
  /** When calls under way are overdue. An answer to one call removes all that are overdue. */
  const dueAt = new Map<symbol, number>();
  let wasGivenUp = false;

  function answered(): void {
    wasGivenUp = false;
    for (const [call, due] of dueAt) if (due <= clock.monotonic()) dueAt.delete(call);
  }

  return {
    /** Follows a call, and gives what it gives. It may take `waitMs` for a reason of its own. */
    async follow<T>(call: Promise<T>, waitMs = 0): Promise<T> {
      const self = Symbol();
      dueAt.set(self, clock.monotonic() + waitMs + PATIENCE_MS);
      try {
        const reply = await call;
        answered();
        return reply;
      } catch (error) {
        if (dueAt.has(self) && isTimeout(error)) wasGivenUp = true;
        throw error;
      } finally {
        dueAt.delete(self);
      }
    },
    /** Whether a call is overdue, or was given up, and none has been answered since. */
    isSilent: () => wasGivenUp || [...dueAt.values()].some((due) => due <= clock.monotonic()),
  };
}
