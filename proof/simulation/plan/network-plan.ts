import type { Interval } from '../time/life.ts';

export type Side = 'store' | 'broker';

/** How often each thing happens to a call, from 0 to 1. */
export interface Rates {
  readonly requestLost: number;
  readonly replyLost: number;
  readonly late: number;
  readonly slow: number;
}

/** A time in which a side cannot be reached, by one worker or by all. */
export interface Outage extends Interval {
  readonly side: Side;
  readonly worker: string | undefined;
  /** Whether nothing comes back, in place of a refusal at once. */
  readonly isSilent: boolean;
}

export interface NetworkPlan {
  readonly rates: Readonly<Record<Side, Rates>>;
  readonly outages: readonly Outage[];
  /** From then on all is well. */
  readonly calmFrom: number;
  readonly leaseMs: number;
}
