import type { Outcome } from '../words/outcome.ts';
import type { Delivered } from './deliver.ts';

/** How a delivery was handled, for its caller: the outcome, and what was thrown or refused the dead letter. */
export function handledFacts<R>(delivered: Delivered<R>): {
  readonly outcome?: Outcome<R>;
  readonly error?: unknown;
} {
  const { handled } = delivered;
  const facts = 'outcome' in handled ? { outcome: handled.outcome } : { error: handled.thrown };
  if (delivered.acknowledge || delivered.error === undefined) return facts;
  return { ...facts, error: delivered.error };
}
