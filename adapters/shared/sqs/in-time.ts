import { type Clock, endsWithin } from '../../../src/adapter-kit.ts';

export interface CallOptions {
  readonly abortSignal: AbortSignal;
}

/** What a call gets that is no long poll. */
export const CALL_TIMEOUT_MS = 15_000;

/** What a call gives; where it was given up, since it gave no reply in time, what it gives when it is made again. */
export async function twice<T>(call: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTimeout(error) || !mayRepeat()) throw error;
  }
  return await call();
}

/** Whether a call was given up. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/**
 * What a call of the client gives. Rejects when it throws, when the signal aborts, and when it has no end in time.
 *
 * Without a bound a connection that hangs would hold its messages, and everything that waits for them, without end.
 * The client gets the signal too, but is not relied on: it ignores an abort while it waits for credentials.
 *
 * Not by `AbortSignal.any`: on Node 20 its timeout is lost at a garbage collection, and every call would leave
 * something behind on a signal that lives long.
 */
export async function inTime<T>(
  clock: Clock,
  call: (options: CallOptions) => Promise<T>,
  withinMs = CALL_TIMEOUT_MS,
  signal?: AbortSignal,
): Promise<T> {
  const aborter = new AbortController();
  const reply = call({ abortSignal: aborter.signal });
  if (await endsWithin(reply, withinMs, clock, signal)) return await reply;
  aborter.abort(
    signal?.aborted === true
      ? signal.reason
      : new DOMException('the queue gave no reply in time', 'TimeoutError'),
  );
  throw aborter.signal.reason;
}
