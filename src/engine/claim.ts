import { AbortedError, StoreError } from '../words/errors.ts';
import { delay } from '../lib/wait.ts';
import { elapsedSince, type Instant } from '../lib/instant.ts';
import type { TimedClaimReply } from '../store/records.ts';
import type { ClaimReply, ClaimRequest } from '../store/store.ts';
import { endOf, type Engine } from './engine.ts';
import { retryWait } from '../lib/retry.ts';

const RESEND_DELAY_MS = 50;
/** Many may wait for one owner. */
const LOOKS = { baseMs: 50, maxMs: 1_000 };

/** What a claim found, and what releases the place of a suspect that it owns. */
interface Claimed {
  readonly token: string;
  readonly sentAt: Instant;
  /** When the reply came, in monotonic milliseconds. */
  readonly repliedMs: number;
  readonly reply: ClaimReply;
  readonly leaveSlot?: () => void;
}

interface Patience {
  /** Milliseconds to wait for the owner of a message in flight. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly startedAt: number;
}

/** Claims a key. With `waitMs` it waits for that long at most while another caller has it. */
export function claimKey(
  engine: Engine,
  key: string,
  fingerprint: string,
  patience: Patience,
): Promise<Claimed> {
  // Each async function that a message passes costs Node a kilobyte for it.
  return patience.waitMs === 0
    ? claim(engine, key, fingerprint, patience.startedAt)
    : claimPatiently(engine, key, fingerprint, patience);
}

/**
 * While another caller has the key it looks again.
 *
 * Each look is a claim: the owner's outcome answers it, and when the owner is gone it takes over. Between looks nothing
 * is held, no connection either.
 */
async function claimPatiently(
  engine: Engine,
  key: string,
  fingerprint: string,
  { waitMs, signal, startedAt }: Patience,
): Promise<Claimed> {
  const endsAt = startedAt + waitMs;
  let answer = await claim(engine, key, fingerprint, startedAt);
  if (answer.reply.kind !== 'in-flight') return answer;
  for (let looks = 1; answer.reply.kind === 'in-flight'; looks += 1) {
    const leftMs = endsAt - engine.clock.monotonic();
    if (leftMs <= 0) break;
    const untilLookMs = retryWait(LOOKS, looks, engine.clock);
    const waitMs = Math.min(untilLookMs, answer.reply.retryAfterMs, leftMs);
    await delay(engine.clock, waitMs, { signal });
    if (signal?.aborted === true) throw aborted(engine, key, startedAt, signal);
    answer = await claim(engine, key, fingerprint, startedAt);
  }
  engine.events.emit({ type: waitEvent(answer), scope: engine.settings.scope, key });
  return answer;
}

/** The error for a caller that gave up before the message was ours. Emits the event too. */
export function aborted(engine: Engine, key: string, startedAt: number, signal: AbortSignal): AbortedError {
  engine.events.emit({ type: 'aborted', ...endOf(engine, { key, startedAt }, 0, 'pending') });
  return new AbortedError('the signal was aborted before the claim; nothing ran', { cause: signal.reason });
}

function waitEvent({ reply }: Claimed): 'wait-hit' | 'wait-miss' | 'wait-timeout' {
  if (reply.kind === 'in-flight') return 'wait-timeout';
  return reply.kind === 'claimed' ? 'wait-miss' : 'wait-hit';
}

/**
 * Claims a key. When the reply is lost it is claimed once more, with another token, and the lost claim is taken back. A
 * suspect is claimed again if the suspect slot of this process is free.
 *
 * Without that a dropped connection would leave the message claimed by no one for a whole lease. A store that is
 * down stays an error: the message belongs to the broker until its state can be kept.
 */
async function claim(engine: Engine, key: string, fingerprint: string, startedAt: number): Promise<Claimed> {
  const message = { key, fingerprint, startedAt };
  let claimed: Claimed;
  try {
    claimed = await sendOnce(engine, engine.records.claim, message, false);
  } catch (error) {
    if (!isWorthResending(error)) throw error;
    await delay(engine.clock, RESEND_DELAY_MS);
    claimed = await sendOnce(engine, engine.records.claim, message, true);
  }
  return claimed.reply.kind === 'suspect' ? await claimSuspect(engine, message, claimed) : claimed;
}

async function claimSuspect(engine: Engine, message: Message, first: Claimed): Promise<Claimed> {
  const leaveSlot = engine.suspects.enter();
  if (leaveSlot === undefined) return first;
  try {
    const claimed = await sendOnce(engine, engine.records.claimSuspect, message, true);
    if (claimed.reply.kind === 'claimed') return { ...claimed, leaveSlot };
    leaveSlot();
    return claimed;
  } catch (error) {
    leaveSlot();
    throw error;
  }
}

interface Message {
  readonly key: string;
  readonly fingerprint: string;
  readonly startedAt: number;
}

async function sendOnce(
  engine: Engine,
  send: (request: ClaimRequest) => Promise<TimedClaimReply>,
  { key, fingerprint, startedAt }: Message,
  isLast: boolean,
): Promise<Claimed> {
  const token = newToken(engine);
  try {
    const { reply, sentAt } = await send({ key, token, fingerprint });
    if (reply.kind === 'claimed' && elapsedSince(engine.clock, sentAt) >= engine.settings.leaseMs) {
      engine.records.takeBack({ key, token });
      throw new StoreError(
        'the reply to the claim came after its lease had lapsed by a clock of this machine; nothing ran',
        {
          retriable: true,
        },
      );
    }
    return { token, sentAt, repliedMs: engine.clock.monotonic(), reply };
  } catch (error) {
    const isEnd = isLast || !isWorthResending(error);
    const message = isEnd
      ? endOf(engine, { key, startedAt }, 0, 'pending')
      : { scope: engine.settings.scope, key };
    engine.events.emit({ type: 'store-error', ...message, verb: 'claim', error });
    throw error;
  }
}

function newToken({ clock, workerId }: Engine): string {
  return workerId + clock.uuid().slice(workerId.length);
}

function isWorthResending(error: unknown): boolean {
  return error instanceof StoreError && error.retriable;
}
