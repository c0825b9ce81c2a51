import { meaningOf, type Verdict } from '../../../src/adapter-kit.ts';
import type { KafkaKeptReason } from '../log/events.ts';

/**
 * The longest wait for a message that another worker runs.
 *
 * Its lease says when the message is free at the latest, and it is mostly done long before. A look costs one read.
 */
const LONGEST_LOOK_AWAY_MS = 1_000;

/** The same verdict, with no longer wait than that for a message that another worker runs. */
export function lookedAtSoon(verdict: Verdict<KafkaKeptReason>): Verdict<KafkaKeptReason> {
  if (verdict.acknowledge || meaningOf(verdict.reason).elsewhere === undefined) return verdict;
  const { retryAfterMs = LONGEST_LOOK_AWAY_MS } = verdict;
  return { ...verdict, retryAfterMs: Math.min(retryAfterMs, LONGEST_LOOK_AWAY_MS) };
}
