import { setTimeout as sleep } from 'node:timers/promises';
import type { ExtendReply } from '../store/store.ts';
import { type Claim, type Engine, monotonicNow } from './engine.ts';

const RESEND_DELAY_MS = 100;

/** Extends a lease, again and again until the store answers or the lease has ended. */
export async function extendUntilAnswered(
  { records, events, settings }: Engine,
  { key, token }: Claim,
  leaseEndsAt: number,
): Promise<ExtendReply | 'unanswered'> {
  for (;;) {
    try {
      return await records.extend({ key, token });
    } catch (error) {
      events.emit({ type: 'store-error', scope: settings.scope, key, verb: 'extend', error });
      if (monotonicNow() + RESEND_DELAY_MS >= leaseEndsAt) return 'unanswered';
      await sleep(RESEND_DELAY_MS);
    }
  }
}
