import type { Alarm } from '../lib/alarm.ts';
import { type Clock, sleep } from '../lib/clock.ts';

const ASK_AGAIN_MS = 100;

/** The time in which a lease may be over, and the database is asked. */
export interface Doubt {
  /** Resolves when it is known. */
  readonly ended: Promise<void>;
  /** It is known now. */
  end(): void;
}

/** Asks again and again until the doubt is ended. Calls back where that takes too long. */
export function createDoubt(
  ask: () => Promise<void>,
  { alarm, clock, onUnanswered }: { alarm: Alarm; clock: Clock; onUnanswered: () => void },
): Doubt {
  let isOpen = true;
  let resolveEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const cancel = alarm.set(() => {
    // After a standstill this alarm rings before an answer that came meanwhile is read: that still counts.
    clock.afterInput(() => {
      if (isOpen) onUnanswered();
    });
  });

  async function askUntilEnded(): Promise<void> {
    while (isOpen) {
      await ask();
      if (isOpen) await sleep(clock, ASK_AGAIN_MS);
    }
  }

  void askUntilEnded();
  return {
    ended,
    end() {
      isOpen = false;
      cancel();
      resolveEnded();
    },
  };
}
