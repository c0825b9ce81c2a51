import { StoreError } from '../words/errors.ts';
import { retryWait } from '../lib/retry.ts';
import { delay } from '../lib/wait.ts';
import type { Settlement } from '../store/store.ts';
import type { Claim, Engine } from './engine.ts';
import type { Lease } from './lease.ts';
import { RESENDS_PER_LEASE } from './lease-alarms.ts';

export interface Settled {
  /** `over`: nothing was sent, since the lease was over. */
  readonly reply: 'settled' | 'lost' | 'over' | 'unrecorded';
  /** What was settled in the end: the same, or without a result that the store refused. */
  readonly settlement: Settlement;
}

/**
 * Settles a claim. A settle without a reply is sent again for as long as the lease lasts by the monotonic clock, but
 * for one lease at most: where heartbeats get through and the settle does not, the call still has to be answered.
 *
 * The token makes that harmless. Once the lease has ended another worker may run the message, and nothing of ours is
 * certain any more: `unrecorded`. The first try is made in any case: the record is still ours if no other worker came.
 */
export async function settleUntilAnswered(
  engine: Engine,
  claim: Claim,
  given: Settlement,
  lease: Lease,
): Promise<Settled> {
  const { key, token } = claim;
  let settlement = given;
  let how: 'alone' | undefined;
  let endsAt: number | undefined;
  for (let failures = 1; ; failures += 1) {
    try {
      const reply = await engine.records.settle({ key, token, settlement }, how);
      if (reply === 'settled') return { reply, settlement };
      // Not `failed`: a claim that fails its record has no attempt.
      if (reply !== 'locked') return { reply: 'lost', settlement };
      // In a batch the others would wait with it.
      how = 'alone';
      throw recordLocked();
    } catch (error) {
      engine.events.emit({ type: 'store-error', scope: engine.settings.scope, key, verb: 'settle', error });
      if (error instanceof StoreError && error.dataRefused && settlement === given) {
        settlement = withoutRefusedText(given);
        continue;
      }
      const delayMs = resendWait(failures, engine.settings.leaseMs);
      const worthResending = error instanceof StoreError && error.retriable;
      // From the first failure: the settle may have waited in our own queue for longer than a lease.
      endsAt ??= engine.clock.monotonic() + engine.settings.leaseMs;
      const leftMs = Math.min(lease.leftMs(), endsAt - engine.clock.monotonic());
      if (!worthResending || leftMs <= delayMs) {
        return { reply: 'unrecorded', settlement };
      }
      await delay(engine.clock, delayMs);
    }
  }
}

/** The last one comes late enough for a transaction that has the record locked for half a lease. */
export function resendWait(failures: number, leaseMs: number): number {
  return retryWait({ baseMs: 25, maxMs: Math.min(1_000, leaseMs / RESENDS_PER_LEASE) }, failures);
}

export function recordLocked(): StoreError {
  const message =
    'another transaction has the record locked: it cannot be written until that ends. pg_locks shows whose it is';
  return new StoreError(message, { retriable: true, mayHaveLanded: false });
}

/** The same end, without the texts that the database could not take: the effect has happened all the same. */
function withoutRefusedText(settlement: Settlement): Settlement {
  switch (settlement.kind) {
    case 'succeed':
      return { ...settlement, result: null, resultOmitted: 'refused-by-store' };
    case 'fail':
      return { ...settlement, error: REFUSED_ERROR };
    case 'release':
      return { ...settlement, error: REFUSED_ERROR };
  }
}

const REFUSED_ERROR = JSON.stringify({
  name: 'Error',
  message: 'the database refused the text of this error',
});
