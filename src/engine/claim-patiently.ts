import { AbortedError } from '../words/errors.ts';
import { claim, type Claimed } from './claim.ts';
import { endOf, type Engine } from './engine.ts';
import { retryWait, spread } from '../lib/retry.ts';
import { delay } from '../lib/wait.ts';

/** Many may wait for one owner. */
const LOOKS = { baseMs: 50, maxMs: 1_000 };

export interface Patience {
  /** Milliseconds to wait for the owner of a message in flight. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly startedAt: number;
}

/**
 * Claims a key, and while another caller has it looks again until it is over, or until the patience is.
 *
 * Each look is a claim: the owner's outcome answers it, and when the owner is gone it takes over. Between looks nothing
 * is held, no connection either.
 */
export async function claimPatiently(
  engine: Engine,
  key: string,
  fingerprint: string,
  { waitMs, signal, startedAt }: Patience,
): Promise<Claimed> {
  const endsAt = startedAt + waitMs;
  let answer = await claim(engine, key, fingerprint, startedAt);
  if (answer.reply.kind !== 'in-flight' || waitMs === 0) return answer;
  for (let looks = 1; answer.reply.kind === 'in-flight'; looks += 1) {
    const leftMs = endsAt - engine.clock.monotonic();
    if (leftMs <= 0) break;
    const untilLookMs = spread(retryWait(LOOKS, looks), engine.clock);
    const waitMs = Math.min(untilLookMs, answer.reply.retryAfterMs, leftMs);
    await delay(engine.clock, waitMs, { signal });
    if (signal?.aborted === true) throw aborted(engine, key, startedAt, signal);
    answer = await claim(engine, key, fingerprint, startedAt);
  }
  engine.events.emit({ type: waitEvent(answer), scope: engine.settings.scope, key });
  return answer;
}

/** Tells, and makes the error, that the caller gave up before the message was ours. */
export function aborted(engine: Engine, key: string, startedAt: number, signal: AbortSignal): AbortedError {
  engine.events.emit({ type: 'aborted', ...endOf(engine, { key, startedAt }, 0, 'pending') });
  return new AbortedError('the signal was aborted before the claim; nothing ran', { cause: signal.reason });
}

function waitEvent({ reply }: Claimed): 'wait-hit' | 'wait-miss' | 'wait-timeout' {
  if (reply.kind === 'in-flight') return 'wait-timeout';
  return reply.kind === 'claimed' ? 'wait-miss' : 'wait-hit';
}
