import type { Around, BeginningAttempt } from '../api/around.ts';
import { describeThrown } from '../payload/stored-error.ts';
import type { EventSink } from '../reporting/event-sink.ts';

/**
 * Runs an attempt inside the hook of the user, which must not decide what becomes of the message: it ends when its work
 * does, whatever the hook does before and after.
 */
export function runAround<Result>(
  { complain }: Pick<EventSink<never>, 'complain'>,
  around: Around,
  beginning: () => BeginningAttempt,
  work: () => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve) => {
    let running: Promise<Result> | undefined;
    let thrown: unknown;

    function run(): Promise<Result> {
      if (running !== undefined) return running;
      running = work();
      running.catch((error: unknown) => {
        thrown = error;
      });
      resolve(running);
      return running;
    }

    async function runHook(): Promise<void> {
      try {
        await around(beginning(), run);
      } catch (error) {
        // What the handler threw comes through the hook.
        if (running === undefined || error !== thrown)
          complain('AROUND_FAILED', `the around hook failed: ${describeThrown(error)}`);
      }
      void run();
    }

    void runHook();
  });
}
