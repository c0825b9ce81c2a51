import type { Alarm } from '../lib/alarm.ts';
import type { Clock, Timer } from '../lib/clock.ts';

const ASK_AGAIN_MS = 100;

export type Doubt = ReturnType<typeof createDoubt>;

/**
 * The time in which a lease may be over: asks the database again and again until the doubt is ended. Calls back where
 * that takes too long.
 */
export function createDoubt(
  ask: () => Promise<void>,
  { alarm, clock, onUnanswered }: { alarm: Alarm; clock: Clock; onUnanswered: () => void },
) {
  let isOpen = true;
  let resolveEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const cancel = alarm.set(() => {
    // After the process was stopped, this alarm rings before an answer that has arrived is read: it still counts.
    clock.afterInput(() => {
      if (isOpen) onUnanswered();
    });
  });

  let again: Timer | undefined;

  function askUntilEnded(): void {
    void ask().then(() => {
      if (isOpen) again = clock.setTimer(askUntilEnded, ASK_AGAIN_MS);
    });
  }

  askUntilEnded();
  return {
    ended,
    end(): void {
      isOpen = false;
      cancel();
      clock.clearTimer(again);
      resolveEnded();
    },
  };
}
