import type { Around, BeginningAttempt } from '../words/around.ts';
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
  // Without a promise more than it needs: where contexts are tracked, as by OpenTelemetry, each costs CPU.
  return new Promise((resolve, reject) => {
    let running: Promise<Result> | undefined;

    function run(): Promise<Result> {
      if (running !== undefined) return running;
      running = work();
      running.then(resolve, reject);
      return running;
    }

    function afterFailure(error: unknown): void {
      function tell(): void {
        complain('AROUND_FAILED', `the around hook failed: ${describeThrown(error)}`);
      }

      function tellUnlessOfHandler(thrown: unknown): void {
        if (thrown !== error) tell();
      }

      if (running === undefined) tell();
      else running.then(tell, tellUnlessOfHandler);
      void run();
    }

    try {
      Promise.resolve(around(beginning(), run)).then(() => void run(), afterFailure);
    } catch (error) {
      // A hook of JavaScript may throw before it has returned a promise.
      afterFailure(error);
    }
  });
}
