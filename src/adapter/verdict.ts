import type { Emitted } from '../reporting/event-sink.ts';
import type { KeptEvent, KeptReason } from './delivery-event.ts';

/** The broker need not deliver the message again. */
interface Acknowledged {
  readonly acknowledge: true;
  readonly key: string;
  readonly deadLettered: boolean;
}

/** The broker has to deliver the message again. */
export interface Kept<Reason extends string = KeptReason> {
  readonly acknowledge: false;
  readonly key: string;
  readonly reason: Reason;
  /** Milliseconds until another delivery can hope for more. Undefined where that is not known. */
  readonly retryAfterMs?: number | undefined;
  readonly error?: unknown;
}

/** What has to be done at the broker. */
export type Verdict<Reason extends string = KeptReason> = Acknowledged | Kept<Reason>;

type KeptFacts<Reason extends string> = Pick<Kept<Reason>, 'key' | 'reason' | 'error'>;

/** The event of a verdict, to be emitted once it is applied at the broker. */
export function verdictEvent<Reason extends string>(verdict: KeptFacts<Reason>): Emitted<KeptEvent<Reason>>;
export function verdictEvent<Reason extends string>(
  verdict: Verdict<Reason>,
): { readonly type: 'acknowledged'; readonly key: string } | Emitted<KeptEvent<Reason>>;
export function verdictEvent(verdict: Acknowledged | KeptFacts<string>) {
  const { key } = verdict;
  if (!('reason' in verdict)) return { type: 'acknowledged', key };
  const { reason, error } = verdict;
  return { type: 'kept', key, reason, ...(error === undefined ? {} : { error }) };
}
