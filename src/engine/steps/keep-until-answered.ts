import { LeaseLostError, StoreError } from '../../words/errors.ts';
import { delay } from '../../lib/wait.ts';
import type { HeldClaim } from '../held-claim.ts';
import { recordLocked, resendWait } from '../settle-until-answered.ts';

/**
 * Keeps the steps of an attempt. A statement without a reply, or that meets a lock, is sent again for as long as the
 * lease is kept, but for one lease at most. Throws `LeaseLostError` where the record is another's, or the lease is
 * over, and `StoreError` where it is refused.
 */
export async function keepUntilAnswered(held: HeldClaim, steps: string): Promise<void> {
  const { engine, claim, lease } = held;
  const { key, token } = claim;
  const { scope, leaseMs } = engine.settings;
  let how: 'alone' | undefined;
  let endsAt: number | undefined;
  for (let failures = 1; ; failures += 1) {
    if (lease.isOver() || !lease.isKept()) {
      throw new LeaseLostError('the lease was over before a step was on record');
    }
    try {
      const reply = await engine.records.keep?.({ key, token, steps }, how);
      if (reply === 'kept') return;
      if (reply === 'lost') {
        lease.taken();
        throw new LeaseLostError('another worker has taken over the message');
      }
      how = 'alone';
      throw recordLocked();
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      engine.events.emit({ type: 'store-error', scope, key, verb: 'keep', error });
      endsAt ??= engine.clock.monotonic() + leaseMs;
      const worthResending = error instanceof StoreError && error.retriable;
      if (!worthResending || engine.clock.monotonic() >= endsAt) throw error;
      await delay(engine.clock, resendWait(failures, leaseMs));
    }
  }
}
