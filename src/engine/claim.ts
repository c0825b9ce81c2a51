import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import { elapsedSince, type Instant } from '../instant.ts';
import type { ClaimAnswer } from '../store/records.ts';
import type { ClaimReply, ClaimRequest } from '../store/store.ts';
import type { Engine } from './engine.ts';

const RESEND_DELAY_MS = 50;

/** What a claim found, and what releases the place of a suspect that it owns. */
export interface Claimed {
  readonly token: string;
  readonly sentAt: Instant;
  readonly reply: ClaimReply;
  readonly leavePlace?: () => void;
}

/**
 * Claims a key, and claims it once more when the reply is lost, with a token of its own: the lost claim is taken back.
 *
 * Without that a dropped connection would leave the message claimed by no one for a whole lease. A store that is
 * down stays an error: the message belongs to the broker until its state can be kept.
 */
export async function claim(engine: Engine, key: string, fingerprint: string): Promise<Claimed> {
  const first = await claimTwice(engine, key, fingerprint);
  if (first.reply.kind !== 'suspect') return first;
  const leavePlace = engine.suspects.enter();
  if (leavePlace === undefined) return first;
  try {
    const claimed = await sendOnce(engine, engine.records.claimSuspect, key, fingerprint);
    if (claimed.reply.kind === 'claimed') return { ...claimed, leavePlace };
    leavePlace();
    return claimed;
  } catch (error) {
    leavePlace();
    throw error;
  }
}

async function claimTwice(engine: Engine, key: string, fingerprint: string): Promise<Claimed> {
  try {
    return await sendOnce(engine, engine.records.claim, key, fingerprint);
  } catch (error) {
    if (!(error instanceof StoreError && error.retriable)) throw error;
  }
  await sleep(RESEND_DELAY_MS);
  return await sendOnce(engine, engine.records.claim, key, fingerprint);
}

async function sendOnce(
  engine: Engine,
  send: (request: ClaimRequest) => Promise<ClaimAnswer>,
  key: string,
  fingerprint: string,
): Promise<Claimed> {
  const token = randomUUID();
  try {
    const { reply, sentAt } = await send({ key, token, fingerprint });
    if (reply.kind === 'claimed' && elapsedSince(sentAt) >= engine.settings.leaseMs) {
      engine.records.takeBack({ key, token });
      throw new StoreError('the reply to the claim came after its lease had lapsed; nothing ran', {
        retriable: true,
      });
    }
    return { token, sentAt, reply };
  } catch (error) {
    engine.events.emit({ type: 'store-error', scope: engine.settings.scope, key, verb: 'claim', error });
    throw error;
  }
}
