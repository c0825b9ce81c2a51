import { InvalidPayloadError, TerminalError } from '../../words/handler-errors.ts';
import { NotStartedError } from '../../words/not-started-error.ts';
import type { Met } from './seat.ts';
import type { BatchRun } from './batch-run.ts';
import type { CallBatch, Came } from './call-batch.ts';

/** Runs a batch without a transaction: each message ends as the handler says, and what it throws fails all of them. */
export async function runTogether(run: BatchRun, met: readonly Met[], call: CallBatch): Promise<undefined> {
  const came = await call([], ofAll);
  met.forEach(({ held, end }, index) => {
    const own = came[index] as Came;
    end(run.isInterrupted && held.mayStart && 'error' in own ? { error: stopped(own.error) } : own);
  });
}

/** What an error of the whole run is to each message: no verdict on that message. */
function ofAll(error: unknown): unknown {
  if (!isFinal(error)) return error;
  return new Error(
    `the batch handler threw a ${error.name}, which may be meant for one message: each runs alone`,
    {
      cause: error,
    },
  );
}

/** What is marked, or thrown, after another message has ended the run: it may be no fault of this one. */
function stopped(error: unknown): unknown {
  if (isFinal(error)) return error;
  return new NotStartedError('its batch was stopped for another reason than this message', { cause: error });
}

function isFinal(error: unknown): error is Error {
  return error instanceof TerminalError || error instanceof InvalidPayloadError;
}
