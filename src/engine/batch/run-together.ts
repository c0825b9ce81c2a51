import { InvalidPayloadError, TerminalError } from '../../words/handler-errors.ts';
import type { Threw } from '../attempt-ending.ts';
import { settleBy } from '../run-attempt.ts';
import type { Met } from './seat.ts';
import type { BatchRun } from './batch-run.ts';
import type { CallBatch, Came } from './call-batch.ts';

/** Runs a batch without a transaction: each message ends as the handler says, and what it throws fails all of them. */
export async function runTogether(run: BatchRun, met: readonly Met[], call: CallBatch): Promise<undefined> {
  const came = await call([], ofAll);
  met.forEach(({ held, end }, index) => {
    const own = came[index] as Came;
    const isStopped = run.isInterrupted && held.mayStart && 'error' in own && !isFinal(own.error);
    if (isStopped) end(own, () => settleBy(held, stopped(own.error)));
    else end(own);
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
function stopped(cause: unknown): Threw {
  const error = new Error('its batch was stopped, but not because of this message', { cause });
  return { kind: 'threw', error, interrupted: true };
}

function isFinal(error: unknown): error is Error {
  return error instanceof TerminalError || error instanceof InvalidPayloadError;
}
