import { delay } from '../lib/wait.ts';
import type { ExtendReply } from '../store/store.ts';
import type { Claim, Engine } from './engine.ts';
import type { Lease } from './lease.ts';

const RESEND_DELAY_MS = 100;

/** Extends a lease again and again until the store answers or the lease has ended. `alone`: by its own statement. */
export async function extendUntilAnswered(
  { clock, records, events, settings }: Engine,
  { key, token }: Claim,
  lease: Lease,
  how?: 'alone',
): Promise<Exclude<ExtendReply, 'locked'> | 'unanswered'> {
  for (;;) {
    try {
      const reply = await records.extend({ key, token }, how);
      if (reply !== 'locked') return reply;
    } catch (error) {
      events.emit({ type: 'store-error', scope: settings.scope, key, verb: 'extend', error });
    }
    if (lease.leftMs() <= RESEND_DELAY_MS) return 'unanswered';
    await delay(clock, RESEND_DELAY_MS);
  }
}
