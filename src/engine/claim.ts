import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import type { ClaimReply, ClaimRequest } from '../store/store.ts';
import { type Engine, monotonicNow } from './engine.ts';

const RESEND_DELAY_MS = 50;

export interface ClaimAnswer {
  readonly token: string;
  readonly sentAt: number;
  readonly reply: ClaimReply;
}

/**
 * Claims a key, and sends a claim whose reply was lost once more with the same token.
 *
 * Without that a dropped connection would leave the message claimed by nobody for a whole lease. A store that is
 * down stays an error: the message belongs to the broker until somebody can keep its state.
 */
export async function claim(engine: Engine, key: string, fingerprint: string): Promise<ClaimAnswer> {
  const request = { key, token: randomUUID(), fingerprint };
  const sentAt = monotonicNow();
  const reply = await sendTwice(engine, request);
  if (reply.kind === 'claimed' && monotonicNow() - sentAt >= engine.settings.leaseMs) {
    const error = new StoreError('the reply to the claim came after its lease had lapsed; nothing ran', {
      retriable: true,
    });
    report(engine, key, error);
    throw error;
  }
  return { token: request.token, sentAt, reply };
}

async function sendTwice(engine: Engine, request: ClaimRequest): Promise<ClaimReply> {
  try {
    return await send(engine, request);
  } catch (error) {
    if (!(error instanceof StoreError && error.retriable)) throw error;
  }
  await sleep(RESEND_DELAY_MS);
  return await send(engine, request);
}

async function send(engine: Engine, request: ClaimRequest): Promise<ClaimReply> {
  try {
    return await engine.records.claim(request);
  } catch (error) {
    report(engine, request.key, error);
    throw error;
  }
}

function report(engine: Engine, key: string, error: unknown): void {
  engine.events.emit({ type: 'store-error', scope: engine.settings.scope, key, verb: 'claim', error });
}
