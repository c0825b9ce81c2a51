import { InvalidPayloadError, TerminalError } from '../../words/handler-errors.ts';
import { NotStartedError } from '../../words/not-started-error.ts';
import type { Met } from './seat.ts';
import type { BatchRun } from './batch-run.ts';
import type { CallBatch, Came } from './call-batch.ts';

/** Runs a batch without a transaction: each message ends as the handler says, and what it throws fails all of them. */
export async function runTogether(
  run: BatchRun,
  met: readonly Met[],
  call: CallBatch,
): Promise<readonly Met[]> {
  const came = await call([], (error) => ofAll(error, run));
  met.forEach(({ end }, index) => {
    end(came[index] as Came);
  });
  return [];
}

/** What an error of the whole run is to each message: no verdict on that message. */
function ofAll(error: unknown, { isInterrupted }: BatchRun): unknown {
  if (isInterrupted) {
    return new NotStartedError('its batch was stopped for another reason than this message', {
      cause: error,
    });
  }
  if (!(error instanceof TerminalError || error instanceof InvalidPayloadError)) return error;
  return new Error(
    `the batch handler threw a ${error.name}, which may be meant for one message: each runs alone`,
    {
      cause: error,
    },
  );
}
