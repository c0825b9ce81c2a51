import { type Handled, thrownReason } from '../../src/adapter-kit.ts';
import type { Outcome, PendingReason } from '../../src/index.ts';
import type { KafkaProducer } from './kafkajs-types.ts';

/** What to do with a message that has failed for good. */
export type OnFailed = 'commit' | { readonly deadLetterTopic: string; readonly producer: KafkaProducer };

/** Why a message, and with it the rest of its partition, is withheld from the commit. */
export type WithheldReason =
  | PendingReason
  | 'mismatch'
  | 'invalid-key'
  | 'store-error'
  | 'aborted'
  | 'error'
  /** The dead-letter topic did not take the message. */
  | 'dead-letter-refused'
  /** The retry topic did not take the message. */
  | 'retry-refused';

export interface Withhold {
  readonly action: 'withhold';
  readonly reason: WithheldReason;
  /** Milliseconds after which to look again; undefined where only a backoff can say. */
  readonly retryAfterMs?: number;
}

/** What becomes of a message's offset. */
export type Disposition =
  | { readonly action: 'commit' }
  /** Produce a copy to the dead-letter topic, and commit once that has succeeded. */
  | { readonly action: 'dead-letter'; readonly deadLetterTopic: string; readonly producer: KafkaProducer }
  | Withhold;

/**
 * The longest wait for a message that another worker runs.
 *
 * Its lease says when the message is free at the latest, and it is mostly done long before. A look costs one read.
 */
const LONGEST_LOOK_AWAY_MS = 1_000;

/** The whole decision, in one place. */
export function dispositionOf(handled: Handled<unknown>, onFailed: OnFailed): Disposition {
  return 'outcome' in handled ? ofOutcome(handled.outcome, onFailed) : ofError(handled.thrown, onFailed);
}

function ofOutcome(outcome: Outcome<unknown>, onFailed: OnFailed): Disposition {
  switch (outcome.state) {
    case 'succeeded':
      return { action: 'commit' };
    case 'failed':
      return onFailed === 'commit' ? { action: 'commit' } : { action: 'dead-letter', ...onFailed };
    case 'pending': {
      const { reason, retryAfterMs } = outcome;
      switch (reason) {
        case 'released':
        case 'suspect':
          return withhold(reason, retryAfterMs);
        case 'in-flight':
        case 'lease-lost':
        case 'unrecorded':
          return withhold(reason, Math.min(retryAfterMs, LONGEST_LOOK_AWAY_MS));
      }
    }
  }
}

function ofError(thrown: unknown, onFailed: OnFailed): Disposition {
  const reason = thrownReason(thrown);
  switch (reason) {
    // Never passed in silence: the message may be one that nobody has handled.
    case 'mismatch':
    case 'invalid-key':
      return onFailed === 'commit' ? withhold(reason) : { action: 'dead-letter', ...onFailed };
    case 'aborted':
      return withhold(reason, 0);
    case 'store-error':
    case 'error':
      return withhold(reason);
  }
}

function withhold(reason: WithheldReason, retryAfterMs?: number): Withhold {
  return { action: 'withhold', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
